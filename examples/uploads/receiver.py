#!/usr/bin/env python3
"""Prints the notification of each upload: receiver.py [PORT]."""

import http.server
import json
import sys


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("content-length", 0)), 65536))
        print(json.dumps(json.loads(body)), flush=True)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


port = int(sys.argv[1]) if len(sys.argv) > 1 else 8069
server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Receiver)
print("listening on port", server.server_port, flush=True)
server.serve_forever()
