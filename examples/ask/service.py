#!/usr/bin/env python3
"""Decides for the plugin `ask`: which machines may boot, and what they get. service.py [PORT] [TOKEN_FILE]"""
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MACHINES = {"02:00:5e:10:00:01": ("kitchen", True), "02:00:5e:10:00:02": ("cellar", False)}


def decide(question):
    """The answer to a question, and how long it holds in seconds."""
    if question["hook"] == "render":
        return {"answer": "content", "text": f"#!ipxe\necho {question['key']}\nexit\n", "name": question["key"]}, 60
    if question["operation"] == "write":
        return {"answer": "deny", "message": "nothing is stored here"}, 60
    if question["path"] == "menu.ipxe":
        return {"answer": "serve", "candidates": [{"rendering": "menu of the site"}]}, 60
    macs = question["client"].get("macs", {"network": [], "claimed": []})
    for mac in macs["network"] or macs["claimed"]:  # in a network, decide by `network` alone
        name, may_boot = MACHINES.get(mac["address"], (None, True))
        if not may_boot:
            return {"answer": "deny", "message": f"{name} does not boot from the network"}, 0
        if name:
            own = {"root": "boot", "file": f"installers/{name}"}
            return {"answer": "serve", "candidates": [own, {"text": f"# install {name}\n", "name": name}]}, 0
    return {"answer": "abstain"}, 0


class Service(BaseHTTPRequestHandler):
    protocol_version, token = "HTTP/1.1", ""

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        good = self.headers.get("authorization") == f"Bearer {self.token}"
        answer, seconds = decide(json.loads(body)) if good else ({}, 0)
        sent = json.dumps(answer).encode()
        self.send_response(200 if good else 401)
        for header in [("content-type", "application/json"), ("content-length", str(len(sent))),
                       ("cache-control", f"max-age={seconds}" if seconds else "no-store")]:
            self.send_header(*header)
        self.end_headers()
        self.wfile.write(sent)


def serve(port, token):
    Service.token = open(token).read().strip()
    return ThreadingHTTPServer(("127.0.0.1", port), Service)


if __name__ == "__main__":
    server = serve(int((sys.argv + ["8080"])[1]), (sys.argv[2:] + [f"{sys.path[0]}/token"])[0])
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
