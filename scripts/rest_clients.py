"""Official and foreign clients of the REST interface against a running hub; called by scripts/rest-clients.

Usage: rest_clients.py BASE [RULED-BASE]

BASE is the address of a hub in --dev whose rules permit everything, RULED-BASE that of one with the rules of
scripts/rest-clients. Prints one line for each group that passes, and exits 1 with the reason at the first that does not.
"""

import json
import queue
import sys
import threading
import traceback

import firebase_admin
import requests
from firebase_admin import db, exceptions

TEXT = "é€😀 \"quoted\" \\ \u0001"


class Administrator(firebase_admin.credentials.Base):
    """What SDKs send to an emulator."""

    def get_credential(self):
        from google.auth.credentials import AnonymousCredentials

        class Owner(AnonymousCredentials):
            def before_request(self, request, method, url, headers):
                headers["Authorization"] = "Bearer owner"

        return Owner()


apps = 0


def app(base, namespace, **options):
    """An app of its own for each group, so that they see no data of others."""
    global apps
    apps += 1
    options["databaseURL"] = f"{base}?ns={namespace}"
    return firebase_admin.initialize_app(Administrator(), options, name=f"app-{apps}")


def expect(actual, expected):
    if actual != expected:
        raise AssertionError(f"expected {expected!r}, got {actual!r}")


def raises(kind, text, call):
    try:
        result = call()
    except kind as error:
        if text not in str(error):
            raise AssertionError(f"expected {text!r} in {error!s}") from error
        return error
    raise AssertionError(f"expected {kind.__name__}, got {result!r}")


def reads_and_writes(base, _):
    root = db.reference("/", app(base, "writes"))
    root.set({"a": {"x": 1, "y": [1, 2, 3]}, TEXT.replace("\u0001", ""): TEXT})
    expect(root.child("a").get(), {"x": 1, "y": [1, 2, 3]})
    expect(root.get(shallow=True).keys(), {"a", TEXT.replace("\u0001", "")})
    expect(root.child(TEXT.replace("\u0001", "").replace("\\", "")).get(), None)
    root.child("a").update({"x": None, "z": True})
    expect(root.child("a").get(), {"y": [1, 2, 3], "z": True})
    root.update({"a/z": False, "b/c": 2.5})
    expect(root.child("b").get(), {"c": 2.5})
    expect(root.child("a/z").get(), False)
    children = [root.child("l").push(), root.child("l").push("second"), root.child("l").push({"n": 3})]
    expect([child.key for child in children], sorted(child.key for child in children))
    expect(list(root.child("l").get().values()), ["", "second", {"n": 3}])
    root.child("n").set({".sv": {"increment": 3}})
    root.child("n").set({".sv": {"increment": 4}})
    expect(root.child("n").get(), 7)
    root.child("a").delete()
    expect(root.child("a").get(), None)
    root.child("big").set(["x" * 1000] * 2000)
    expect(len(root.child("big").get()), 2000)


def queries(_, ruled):
    place = db.reference("/dinosaurs", app(ruled, "queries"))
    place.set({"a": {"h": 3, "d": {"w": 1}}, "b": {"h": 1, "d": {"w": 3}}, "c": {"h": 2, "d": {"w": 2}}, "n": {"i": 1}})
    expect(list(place.order_by_key().limit_to_first(2).get()), ["a", "b"])
    expect(list(place.order_by_child("h").get()), ["n", "b", "c", "a"])
    expect(list(place.order_by_child("h").start_at(2).get()), ["c", "a"])
    expect(list(place.order_by_child("h").end_at(2).get()), ["n", "b", "c"])
    expect(list(place.order_by_child("d/w").limit_to_last(1).get()), ["b"])
    expect(list(place.order_by_child("h").equal_to(2).get()), ["c"])
    scores = db.reference("/scores", app(ruled, "queries"))
    scores.set({"a": 5, "b": 7, "c": 6})
    expect(list(scores.order_by_value().limit_to_last(2).get()), ["c", "b"])
    expect(list(scores.order_by_value().start_at(6).end_at(6).get()), ["c"])
    raises(exceptions.InvalidArgumentError, "Index not defined", lambda: place.order_by_child("none").get())


def tags(base, _):
    place = db.reference("/t", app(base, "tags"))
    value, tag = place.get(etag=True)
    expect((value, tag), (None, "null_etag"))
    expect(place.set_if_unchanged(tag, {"n": 1})[0], True)
    changed, value, tag = place.set_if_unchanged("null_etag", {"n": 2})
    expect((changed, value), (False, {"n": 1}))
    expect(place.get_if_changed(tag), (False, None, None))
    place.set({"n": 3})
    changed, value, new_tag = place.get_if_changed(tag)
    expect((changed, value), (True, {"n": 3}))
    expect(place.set_if_unchanged(new_tag, {"n": 4})[0], True)


def transactions(base, _):
    the_app = app(base, "transactions")
    place = db.reference("/counter", the_app)
    expect(place.transaction(lambda value: (value or 0) + 1), 1)
    failures = []

    def count():
        try:
            for _ in range(10):
                db.reference("/counter", the_app).transaction(lambda value: (value or 0) + 1)
        except Exception as error:  # Handed to the main thread.
            failures.append(error)

    threads = [threading.Thread(target=count) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect(failures, [])
    expect(place.get(), 31)

    def spoil(value):
        place.set(f"{value}x")
        return 0

    raises(db.TransactionAbortedError, "", lambda: place.transaction(spoil))


def listening(base, _):
    place = db.reference("/live", app(base, "listening"))
    events = queue.Queue()
    registration = place.listen(lambda event: events.put((event.event_type, event.path, event.data)))

    def next_event():
        return events.get(timeout=30)

    expect(next_event(), ("put", "/", None))
    place.child("a/b").set(TEXT)
    expect(next_event(), ("put", "/a/b", TEXT))
    place.update({"x": 1, "y": [True, False]})
    expect(next_event(), ("patch", "/", {"x": 1, "y": [True, False]}))
    child = place.push()
    expect(next_event(), ("put", f"/{child.key}", ""))
    place.child("a").delete()
    expect(next_event(), ("put", "/a", None))
    for number in range(200):
        place.child("n").set(number)
    expect([next_event()[2] for _ in range(200)], list(range(200)))
    # Closing waits for the next byte; a keep-alive would do as well.
    closing = threading.Thread(target=registration.close)
    closing.start()
    place.child("n").set("end")
    closing.join(timeout=60)
    expect(closing.is_alive(), False)


def acting_as(_, ruled):
    override = {"databaseAuthVariableOverride": {"uid": "ada"}}
    ada = app(ruled, "acting", **override)
    db.reference("/users/ada", ada).set("mine")
    expect(db.reference("/users/ada", ada).get(), "mine")
    denied = raises(
        exceptions.UnauthenticatedError, "Permission denied", lambda: db.reference("/users/bob", ada).set(1))
    expect(denied.http_response.status_code, 401)
    nobody = app(ruled, "acting", databaseAuthVariableOverride=None)
    raises(exceptions.UnauthenticatedError, "Permission denied", lambda: db.reference("/users/ada", nobody).get())
    expect(db.reference("/users/ada", app(ruled, "acting")).get(), "mine")


def errors(base, _):
    root = db.reference("/", app(base, "errors"))
    raises(exceptions.InvalidArgumentError, "couldn't parse key beginning at 1:2", lambda: root.set({"a.b": 1}))
    raises(exceptions.InvalidArgumentError, "couldn't parse key", lambda: root.child("x").set({"": 1}))
    raises(exceptions.InvalidArgumentError, "Invalid data", lambda: root.update({"a": 1, "a/b": 2}))
    raises(exceptions.InvalidArgumentError, "server value", lambda: root.set({".sv": "nope"}))
    expect(root.get(), None)


def plain_stream(base, _):
    """A client of twenty lines, as people write them."""
    url = f"{base}/plain.json?ns=plain"
    with requests.get(url, headers={"Accept": "text/event-stream"}, stream=True, timeout=60) as answer:
        expect(answer.headers["content-type"], "text/event-stream; charset=utf-8")
        lines = answer.iter_lines(decode_unicode=True, chunk_size=1)

        def next_event():
            name, data, end = next(lines), next(lines), next(lines)
            expect(end, "")
            expect((name[:7], data[:6]), ("event: ", "data: "))
            return name[7:], json.loads(data[6:])

        expect(next_event(), ("put", {"path": "/", "data": None}))
        requests.put(url, data=json.dumps(TEXT), timeout=60).raise_for_status()
        expect(next_event(), ("put", {"path": "/", "data": TEXT}))
        requests.patch(url, data=json.dumps({"a": 1}), timeout=60).raise_for_status()
        event, data = next_event()
        expect((event in ("put", "patch"), data["data"]), (True, {"a": 1}))
    # requests decompresses by itself, and sends bodies without a known length in chunks.
    requests.put(url, data=iter([b"[", b'"x",' * 3000, b'"y"]']), timeout=60).raise_for_status()
    answer = requests.get(url, timeout=60)
    expect(answer.headers.get("content-encoding"), "gzip")
    expect(len(answer.json()), 3001)


def main():
    base = sys.argv[1]
    ruled = sys.argv[2] if len(sys.argv) > 2 else base
    groups = [reads_and_writes, queries, tags, transactions, listening, acting_as, errors, plain_stream]
    for group in groups:
        try:
            group(base, ruled)
        except Exception:
            traceback.print_exc()
            print(f"FAILED  {group.__name__}", flush=True)
            return 1
        print(f"ok      {group.__name__}", flush=True)
    return 0


sys.exit(main())
