"""The peer: a TFTP server that asks a web server for each file, on fbtftp, the framework of Facebook that such proxies
are built on. It keeps nothing.

    proxy.py PORT URL
"""

import resource
import sys
import urllib.request

from fbtftp.base_handler import BaseHandler, ResponseData
from fbtftp.base_server import BaseServer


class Answer(ResponseData):
    def __init__(self, url):
        self.answer = urllib.request.urlopen(url, timeout=10)

    def read(self, count):
        return self.answer.read(count)

    def size(self):
        return int(self.answer.headers["Content-Length"])

    def close(self):
        self.answer.close()


class Handler(BaseHandler):
    def get_response_data(self):
        return Answer(f"{URL}/{self._path}")


class Server(BaseServer):
    def get_handler(self, server, peer, path, options):
        return Handler(server, peer, path, options, lambda _: None)


# The first process has a connection open for each transfer.
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
PORT, URL = int(sys.argv[1]), sys.argv[2]
Server("127.0.0.1", PORT, retries=5, timeout=2).run()
