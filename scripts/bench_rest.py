#!/usr/bin/env python3
"""Drives the REST interface of the release hub with wrk, beside nginx serving a file of the same size in the same run."""
import argparse
import contextlib
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

HUB = ".build/release/hearth"
VALUE = '{"name":"Ada Lovelace","age":36,"email":"ada@example.org","tags":{"a":true,"b":true}}'

# The method, its body, and whether each request has a place of its own.
CASES = [("GET", None), ("PUT", VALUE), ("PATCH", '{"age":37}'), ("POST", VALUE)]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def cpu_seconds(pids):
    """User and system time that the processes have used so far."""
    ticks = 0
    for pid in pids:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def children(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as listed:
        return [int(child) for child in listed.read().split()]
    return []


@contextlib.contextmanager
def ended(process):
    """Ends the process by its id."""
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def hub(folder, arguments):
    command = [HUB, "serve", "--dev", "--port", "0", "--log-level", "error"] + arguments
    if "--memory" not in arguments:
        command += ["--data", os.path.join(folder, "data")]
    with ended(subprocess.Popen(command, stdout=subprocess.PIPE, text=True)) as process:
        words = process.stdout.readline().split()
        if words[:2] != ["hearth", "ready"]:
            sys.exit("scripts/bench: the hub did not start; its message is above")
        yield int(words[2].rsplit(":", 1)[1]), [process.pid]


@contextlib.contextmanager
def nginx(folder):
    """nginx with one worker, as it comes, and a file that is as long as the hub's answer."""
    os.makedirs(os.path.join(folder, "www", "users"), exist_ok=True)
    with open(os.path.join(folder, "www", "users", "u1.json"), "w", encoding="ascii") as file:
        file.write(VALUE)
    port = free_port()
    config = os.path.join(folder, "nginx.conf")
    with open(config, "w", encoding="ascii") as file:
        # Started by root, its workers would be somebody who may not enter the folder.
        user = "user root;" if os.geteuid() == 0 else ""
        file.write(f"""{user} daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{ access_log off; default_type application/json; keepalive_requests 1000000000; sendfile on;
  client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{ listen 127.0.0.1:{port}; root {folder}/www; }} }}
""")
    with ended(subprocess.Popen(["nginx", "-c", config, "-p", folder, "-e", f"{folder}/error.log"])) as process:
        wait_for(port)
        yield port, [process.pid] + children(process.pid)


def wait_for(port):
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
            return
        time.sleep(0.05)
    sys.exit("scripts/bench: nothing listens; see above")


def script(folder, method, body):
    """What wrk sends: a place of its own for each request of a write, so that every write changes something."""
    path = os.path.join(folder, f"{method}.lua")
    with open(path, "w", encoding="ascii") as file:
        file.write(f'wrk.method = "{method}"\n')
        if body is None:
            return None
        file.write(f"""local base = {body!r}
local n = 0
wrk.headers["Content-Type"] = "application/json"
request = function()
  n = n + 1
  local text = base:gsub("%d%d", tostring(10 + n % 90), 1)
  return wrk.format(nil, "/users/u" .. (n % 1000) .. ".json", nil, text)
end
""")
    return path


def drive(port, lua, seconds, connections):
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency"]
    if lua:
        command += ["-s", lua]
    output = subprocess.run(command + [f"http://127.0.0.1:{port}/users/u1.json"], capture_output=True, text=True,
                            check=True).stdout
    rate = float(re.search(r"Requests/sec:\s*([\d.]+)", output).group(1))
    total = int(re.search(r"(\d+) requests in", output).group(1))
    if "Non-2xx" in output:
        sys.exit(f"scripts/bench: requests failed:\n{output}")
    p99 = re.search(r"99%\s+([\d.]+)(us|ms|s)", output)
    scale = {"us": 1, "ms": 1000, "s": 1_000_000}[p99.group(2)]
    return rate, total, float(p99.group(1)) * scale


def measure(server, lua, arguments):
    port, pids = server
    before = cpu_seconds(pids)
    rate, total, p99 = drive(port, lua, arguments.seconds, arguments.connections)
    return rate, (cpu_seconds(pids) - before) * 1e6 / total, p99


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench rest")
    parser.add_argument("--seconds", type=int, default=5, help="of each measurement")
    parser.add_argument("--repeats", type=int, default=3, help="the medians are of so many")
    parser.add_argument("--connections", type=int, default=32)
    arguments = parser.parse_args()
    for tool in ["wrk", "nginx"]:
        if not shutil.which(tool):
            sys.exit(f"scripts/bench: no '{tool}' on PATH; install Debian's package {tool}")
    folder = tempfile.mkdtemp(prefix="hearth-bench-")
    rows = {}
    try:
        for repeat in range(arguments.repeats):
            os.makedirs(f"{folder}/{repeat}/nginx")
            with nginx(f"{folder}/{repeat}/nginx") as server:
                rows.setdefault("nginx, file of the same size", []).append(measure(server, None, arguments))
            for storage, options in [("memory", ["--memory"]), ("durable", [])]:
                with hub(f"{folder}/{repeat}", options) as server:
                    request = urllib.request.Request(
                        f"http://127.0.0.1:{server[0]}/users/u1.json", VALUE.encode(), method="PUT")
                    urllib.request.urlopen(request).read()
                    for method, body in CASES:
                        if method == "GET" and storage == "durable":
                            continue
                        name = method if method == "GET" else f"{method}, {storage}"
                        lua = script(folder, method, body)
                        rows.setdefault(name, []).append(measure(server, lua, arguments))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    report(rows, arguments)


def report(rows, arguments):
    medians = {name: [statistics.median(column) for column in zip(*values)] for name, values in rows.items()}
    base = medians["nginx, file of the same size"]
    print(f"{arguments.connections} connections with keep-alive, {len(VALUE)} bytes, "
          f"medians of {arguments.repeats} x {arguments.seconds} s")
    print(f"{'':32}{'requests/s':>12}{'CPU us/request':>16}{'p99 us':>10}{'CPU x nginx':>13}")
    for name, (rate, cpu, p99) in medians.items():
        print(f"{name:32}{rate:12,.0f}{cpu:16.1f}{p99:10,.0f}{cpu / base[1]:13.2f}")


if __name__ == "__main__":
    main()
