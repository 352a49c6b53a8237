#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A client of hist mcp: sends messages and checks the form of each answer.

mcp.py HIST RECORDING...: reads lines "TOOL ARGUMENTS" (of JSON) from standard input, prints "error: " before the text of an
error, then the text.
"""
import json
import subprocess
import sys


class Server:
    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.id = 0

    def send(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def receive(self):
        return json.loads(self.process.stdout.readline())

    def request(self, method, **params):
        self.id += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}))
        answer = self.receive()
        assert answer["jsonrpc"] == "2.0" and answer["id"] == self.id, answer
        assert ("result" in answer) != ("error" in answer), answer
        return answer

    def tool(self, name, arguments):
        """Whether the text is an error, and the text."""
        result = self.request("tools/call", name=name, arguments=arguments)["result"]
        assert [c["type"] for c in result["content"]] == ["text"], result
        return result["isError"], result["content"][0]["text"]

    def end(self):
        self.process.stdin.close()
        assert self.process.stdout.read() == b""
        return self.process.wait()


if __name__ == "__main__":
    server = Server(sys.argv[1], "mcp", *sys.argv[2:])
    for line in sys.stdin:
        tool, arguments = line.split(None, 1)
        is_error, text = server.tool(tool, json.loads(arguments))
        print(("error: " if is_error and not text.startswith("error: ") else "") + text.rstrip("\n"))
    sys.exit(server.end())
