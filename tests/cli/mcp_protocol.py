#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""mcp_protocol.py HIST RECORDING: the messages of the protocol, right and wrong ones."""
import json
import sys

from mcp import Server

hist, recording = sys.argv[1:]
server = Server(hist, "mcp", "-i", recording)

# the beginning, as clients have it
for version in "2024-11-05", "2025-06-18":
    result = server.request("initialize", protocolVersion=version, capabilities={},
                            clientInfo={"name": "test", "version": "1"})["result"]
    assert result["protocolVersion"] == version
    assert result["capabilities"] == {"tools": {}, "resources": {}} and result["serverInfo"]["name"] == "hist"
assert server.request("initialize", protocolVersion="1999-01-01")["result"]["protocolVersion"] == "2025-11-25"
server.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')  # no answer is due
server.send('{"jsonrpc":"2.0","id":9,"result":{}}')
server.send("")
assert server.request("ping")["result"] == {}

# tools: each has a schema, whose properties it takes, and names no other
tools = server.request("tools/list")["result"]["tools"]
assert [t["name"] for t in tools] == ["summary", "ask", "why", "events", "sql", "diff", "recipes", "describe"]
for tool in tools:
    schema = tool["inputSchema"]
    assert schema["type"] == "object" and set(schema["required"]) <= set(schema["properties"])
    assert all(p["type"] in ("string", "integer", "boolean", "object") for p in schema["properties"].values())
    is_error, text = server.tool(tool["name"], {"nothing": 1})
    assert is_error and "has no argument 'nothing'" in text and all(p in text for p in schema["properties"])

# resources: the recordings
[resource] = server.request("resources/list")["result"]["resources"]
assert resource["uri"] == "recording:" + recording
[text] = server.request("resources/read", uri=resource["uri"])["result"]["contents"]
assert text["mimeType"] == "text/plain" and text["text"].startswith(recording + ": ")
assert server.request("resources/templates/list")["result"] == {"resourceTemplates": []}
for uri in "recording:/etc/passwd", "file:///etc/passwd", "":
    assert server.request("resources/read", uri=uri)["error"]["code"] == -32602

# the id is what it was; members may come in any order
for number in "7", "-1", '"a\\"b"', '"\\u00fc"':
    server.send('{"params":{},"method":"ping","id":%s,"jsonrpc":"2.0"}' % number)
    assert server.receive() == {"jsonrpc": "2.0", "id": json.loads(number), "result": {}}
text = "a\\b \"c\" \x7f \u20ac\U0001f600\n\t"
is_error, answer = server.tool("ask", {"question": text})
assert is_error and text in answer

# what is wrong is an error, and the session goes on
for line, code in (("{", -32700), ("nothing", -32700), ('{"id":1,"method":"ping"} x', -32700), ('"text"', -32700),
                   ('[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600), ('{"id":null,"method":"ping"}', -32600),
                   ('{"id":{},"method":"ping"}', -32600), ('{"id":12.,"method":"ping"}', -32600), ('{"id":01,"method":"ping"}', -32600),
                   ('{"id":-,"method":"ping"}', -32600), ('{"id":1e+,"method":"ping"}', -32600), ('{"id":1}', -32600), ("{}", -32600),
                   ('{"id":1,"method":"tools/lists"}', -32601), ('{"id":1,"method":"tools/call"}', -32602),
                   ('{"id":1,"method":"tools/call","params":{"name":"record"}}', -32602),
                   ('{"id":1,"method":"tools/call","params":[]}', -32602),
                   ('{"a":' * 100 + "1" + "}" * 100, -32700), ("x" * 2000000, -32600)):
    server.send(line)
    error = server.receive()
    assert error["error"]["code"] == code and error["error"]["message"], (line[:60], error)
server.process.stdin.write(b'{"id":"\xff","method":"ping"}\n')
server.process.stdin.flush()
assert server.receive()["error"]["code"] == -32700

# types of arguments
for arguments, wanted in (({"top": "x"}, "top takes a natural number"), ({"top": -1}, "top takes a natural number"),
                          ({"stats": "yes"}, "stats takes true or false"), ({"event": {}}, "event takes a text"),
                          ({"define": 3, "question": "on-cpu"}, "-D takes NAME=VALUE"), ({"define": [1]}, "define takes an object")):
    is_error, text = server.tool("ask", arguments)
    assert is_error and text.startswith("error: ") and wanted in text, (arguments, text)
one = server.tool("ask", {"event": "sched_switch", "by": "next_comm", "top": 2})
assert not one[0]
for same in ({"event": ["sched_switch"], "by": ["next_comm"], "top": "2", "stats": False, "from": None, "filter": [], "sum": ""},):
    assert server.tool("ask", same) == one
assert server.end() == 0
