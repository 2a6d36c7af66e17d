#!/usr/bin/env python3
"""Drives the release hub and its peers with a load generator in one run; prints medians and ratios."""
import argparse
import collections
import contextlib
import importlib.util
import itertools
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

HUB = ".build/release/hearth"
SCENARIOS = ["idle", "fanout", "rooms", "presence", "durable"]
PEERS = ["limit-rtdb", "limit-rtdb-coalesce", "uws", "redis-always"]

# What a figure is compared with: scenario, label in the load generator, column, peer, highest ratio wanted.
# A ratio wanted at least is negative.
TARGETS = [
    ("fanout", "1000 subs, window 1", "server_cpu_us_per_delivery", "limit-rtdb", 1.4),
    ("fanout", "1000 subs, window 16", "server_cpu_us_per_delivery", "uws", 1.5),
    ("rooms", "5000 clients", "server_cpu_us_per_delivery", "limit-rtdb", 1.6),
    ("rooms", "5000 clients", "p99_us", "uws", 3),
    ("presence", "2000 clients, 100 kills/s", "server_cpu_us_per_cycle", "limit-rtdb", 3),
    ("durable", "4 writers, window 16", "writes_per_s", "redis-always", -0.5),
    ("durable", "1 writer, window 1", "p50_us", "redis-always", 2),
]
# Figures that are wanted as they are: scenario, label, column, highest value wanted.
LIMITS = [
    ("idle", "10000", "rss_kb_per_conn", 3),
    ("idle", "10000", "server_cpu_us_per_connect", 70),
    ("presence", "2000 clients, 100 kills/s", "offline_missed", 0),
    ("presence", "2000 clients, 100 kills/s", "wrong_after_churn", 0),
    ("presence", "2000 clients, 100 kills/s", "ghosts", 0),
]


@contextlib.contextmanager
def hub():
    """The hub on a free port and a fresh data directory; gives its port and process id."""
    data = tempfile.mkdtemp(prefix="hearth-bench-")
    process = subprocess.Popen([HUB, "serve", "--dev", "--port", "0", "--data", data, "--log-level", "error"],
                               stdout=subprocess.PIPE, text=True)
    try:
        words = process.stdout.readline().split()
        if words[:2] != ["hearth", "ready"]:
            sys.exit("scripts/bench: the hub did not start; its message is above")
        yield int(words[2].rsplit(":", 1)[1]), process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        shutil.rmtree(data, ignore_errors=True)


def available(peers):
    """The peers that can run here; says which cannot and why."""
    kept = []
    for peer in peers:
        reason = None
        if peer == "uws" and not os.path.isfile(os.environ.get("UWS_LIB", "")):
            reason = "UWS_LIB does not name the library of uWebSockets (README of the load generator)"
        if peer.startswith("redis") and not shutil.which("redis-server"):
            reason = "no redis-server on PATH"
        if reason:
            print(f"skipped: peer {peer}: {reason}")
        else:
            kept.append(peer)
    return kept


def median(rows, peer, scenario, label, column):
    values = [row[column] for row in rows if row.get("peer") == peer and row.get("scenario") == scenario
              and row.get("label") == label and column in row]
    return statistics.median(values) if values else None


def shown(value):
    return "not measured" if value is None else f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def report(path, scenarios):
    with open(path) as file:
        rows = [json.loads(line) for line in file]
    print("\n| scenario | figure | hearth | peer | | ratio | wanted |\n|---|---|---|---|---|---|---|")
    for scenario, label, column, peer, wanted in TARGETS:
        if scenario not in scenarios:
            continue
        mine, other = median(rows, "hearth", scenario, label, column), median(rows, peer, scenario, label, column)
        ratio = f"{mine / other:.2f}" if mine is not None and other else "-"
        bound = f"at most {wanted}" if wanted > 0 else f"at least {-wanted}"
        print(f"| {scenario}, {label} | {column} | {shown(mine)} | {peer} | {shown(other)} | {ratio} | {bound} |")
    for scenario, label, column, wanted in LIMITS:
        if scenario in scenarios:
            mine, other = (median(rows, peer, scenario, label, column) for peer in ("hearth", "limit-rtdb"))
            print(f"| {scenario}, {label} | {column} | {shown(mine)} | limit-rtdb | {shown(other)} | | "
                  f"at most {wanted} |")
    counts = collections.Counter(row.get("peer") for row in rows if "error" in row)
    for peer, count in counts.items():
        print(f"failed: {count} runs of {peer}; see the file")
    busy = [row["other_cpu_pct"] for row in rows if row.get("other_cpu_pct") is not None]
    if busy and statistics.median(busy) > 20:
        print(f"The rest of the machine was busy ({statistics.median(busy):.0f} % CPU): "
              "do not trust latencies and rates of this run.")


def load(folder):
    """The load generator's own runner, as a module: it knows the scenarios and starts the peers."""
    spec = importlib.util.spec_from_file_location("load_generator", os.path.join(folder, "bench.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def vary_bodies(folder):
    """Makes the durable scenario write a new value each time.

    It writes the same value to the same 1,000 keys again and again. A write that changes nothing is durable already, so the
    hub answers it without a commit, and the figure would not be one of durable writes.
    """
    path = os.path.join(folder, "src", "main.c")
    with open(path) as file:
        text = file.read()
    varied, count = re.subn(r"(send_body\([^;]*), 0, true\)", r"\1, now_ns(), true)", text)
    if not count:
        print("durable: the generator is not the one known here; if it repeats values, its durable figures mean nothing")
        return
    with open(path, "w") as file:
        file.write(varied)


# Each peer gets a port of its own: those of the one before may still be in TIME_WAIT.
ports = itertools.cycle(range(21000, 31000, 2))


def measure(generator, peer, scenario, label, arguments, repetition, file):
    """One run of one scenario against one peer, or the hub, started for it."""
    try:
        if peer == "hearth":
            with hub() as (port, pid):
                row = generator.measure("rtdb", port, generator.family(pid), scenario, arguments)
        else:
            with generator.Server(peer, next(ports)) as server:
                row = generator.measure(server.peer["proto"], server.port, server.pids(), scenario, arguments)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        row = {"scenario": scenario, "error": str(error)}
    generator.record(file, row, peer=peer, label=label, rep=repetition)


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench hub", description=__doc__)
    parser.add_argument("folder", help="folder of the load generator")
    parser.add_argument("--scenarios", default=",".join(SCENARIOS))
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--all", action="store_true", help="all variants of the scenarios, not only the quoted ones")
    parser.add_argument("--rows", default=None, help="file for the rows; a new one otherwise")
    options = parser.parse_args()
    if not os.path.isfile(os.path.join(options.folder, "bench.py")):
        sys.exit(f"scripts/bench: no bench.py in {options.folder}")
    scenarios = options.scenarios.split(",")
    if unknown := set(scenarios) - set(SCENARIOS):
        sys.exit(f"scripts/bench: unknown scenario {', '.join(sorted(unknown))}; there are {', '.join(SCENARIOS)}")

    subprocess.run(["swift", "build", "-c", "release", "--product", "hearth"], check=True, stdout=sys.stderr)
    # The load generator is built in a copy: its folder may be read-only.
    build = tempfile.mkdtemp(prefix="hearth-load-")
    rows = options.rows or tempfile.mkstemp(prefix="hearth-bench-", suffix=".jsonl")[1]
    try:
        copy = shutil.copytree(options.folder, os.path.join(build, "load"))
        vary_bodies(copy)
        subprocess.run(["make", "-s", "-C", copy], check=True, stdout=sys.stderr)
        generator = load(copy)
        peers = available([peer for peer in options.peers.split(",") if peer])
        quoted = {entry[:2] for entry in TARGETS + LIMITS}
        with open(rows, "a") as file:
            # Peers and hub take turns, so that what else the machine does meets all of them.
            for repetition in range(options.repeats):
                for scenario in scenarios:
                    for label, arguments in generator.RUNS[scenario]:
                        if not options.all and (scenario, label) not in quoted:
                            continue
                        for peer in peers + ["hearth"]:
                            if peer == "hearth" or scenario in generator.PEERS[peer].get("only", generator.RUNS):
                                measure(generator, peer, scenario, label, arguments, repetition, file)
        generator.table(argparse.Namespace(results=rows))
        report(rows, scenarios)
        print(f"\nrows: {rows}")
    finally:
        shutil.rmtree(build, ignore_errors=True)


if __name__ == "__main__":
    main()
