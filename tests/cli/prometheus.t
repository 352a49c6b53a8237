#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The Grafana dashboard of the examples asks for what hist prints, as Prometheus answers after it scraped it.
. tests/cli/lib.sh

have python3 || skip_all 'no python3'
board=examples/grafana-waits.json

it 'what the dashboard asks for is what its command prints'
hist report -q -i trace.dat-samples/wakeup.dat -e derived:wait --by comm --sum ns --stats --format prometheus
cp "$tmp.out" "$tmp/metrics"
cat >"$tmp/board.py" <<'END'
import json, re, sys
board = json.load(open(sys.argv[1]))
metrics = {re.split(r"[{ ]", line)[0] for line in open(sys.argv[2]) if line[0] != "#"}
asked = [t["expr"] for p in board["panels"] for t in p["targets"]]
assert len(asked) >= 5
for expr in asked:
    assert set(re.findall(r"hist_\w+", expr)) <= metrics, expr
    print(expr.replace("$comm", ".*"))
assert len({p["id"] for p in board["panels"]}) == len(board["panels"])
END
run python3 "$tmp/board.py" "$board" "$tmp/metrics"
status_is 0
stderr_is ''
cp "$tmp.out" "$tmp/queries"

it 'Prometheus scrapes it, and has an answer to each question'
prometheus=${PROMETHEUS:-prometheus}
if have "$prometheus"; then
	cat >"$tmp/scrape.py" <<'END'
import functools, http.server, json, os, subprocess, sys, tempfile, threading, time, urllib.parse, urllib.request
program, directory, queries = sys.argv[1], sys.argv[2], open(sys.argv[3]).read().splitlines()


class Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {"": "text/plain; version=0.0.4"}

    def log_message(self, *_):
        pass


def free_port():
    import socket
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=directory))
threading.Thread(target=server.serve_forever, daemon=True).start()
with tempfile.TemporaryDirectory() as home:
    with open(home + "/prometheus.yml", "w") as f:
        f.write("scrape_configs:\n- job_name: hist\n  scrape_interval: 1s\n  static_configs:\n  - targets: ['127.0.0.1:%d']\n"
                % server.server_address[1])
    port = free_port()
    process = subprocess.Popen([program, "--config.file=" + home + "/prometheus.yml", "--storage.tsdb.path=" + home + "/data",
                                "--web.listen-address=127.0.0.1:%d" % port], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for query in queries:
            for _ in range(240):
                try:
                    url = "http://127.0.0.1:%d/api/v1/query?query=%s" % (port, urllib.parse.quote(query))
                    answer = json.load(urllib.request.urlopen(url, timeout=20))["data"]["result"]
                except OSError:
                    answer = []
                if answer:
                    break
                time.sleep(0.25)
            print(query, len(answer))
            for a in answer:
                if a["metric"].get("comm") == "sync" and "largest" in query:
                    print("sync", a["value"][1])
    finally:
        process.terminate()
        process.wait()
END
	run python3 "$tmp/scrape.py" "$prometheus" "$tmp" "$tmp/queries"
	status_is 0
	stdout_lacks ' 0$'
	stdout_has '^sync 0.003069784$'
else
	skip 'no prometheus'
fi

done_testing
