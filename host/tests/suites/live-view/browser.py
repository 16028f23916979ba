"""A headless Chromium, driven through chromedriver's HTTP interface (W3C WebDriver). Standard library alone."""

import base64
import json
import re
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--hide-scrollbars",
]


class Browser:
    """One tab. Use it as a context manager."""

    def __init__(self, width=1280, height=900):
        self.profile = tempfile.TemporaryDirectory(prefix="tuffet-chromium-", ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        try:
            line = ""
            while "successfully on port" not in line:
                line = self.driver.stdout.readline()
                assert line, "chromedriver does not start"
            self.address = f"http://127.0.0.1:{re.search(r'on port ([0-9]+)', line)[1]}"
            flags = [*FLAGS, f"--window-size={width},{height}", f"--user-data-dir={self.profile.name}"]
            options = {
                "goog:chromeOptions": {"args": flags},
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            }
            session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": options}}, timeout=120)
            self.session = f"/session/{session['sessionId']}"
        except BaseException:
            self.driver.kill()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", self.session)
        except OSError:
            pass
        self.driver.terminate()
        self.driver.wait()
        self.profile.cleanup()

    def call(self, method, path, body=None, timeout=60):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        # Never through a proxy of the environment.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=timeout) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode()[:600]}") from None

    def open(self, url):
        self.call("POST", f"{self.session}/url", {"url": url})

    def run(self, script, *arguments):
        """What a function body returns in the page."""
        return self.call("POST", f"{self.session}/execute/sync", {"script": script, "args": list(arguments)})

    def cdp(self, command, **parameters):
        return self.call("POST", f"{self.session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def type(self, selector, text):
        found = self.call("POST", f"{self.session}/element", {"using": "css selector", "value": selector})
        self.call("POST", f"{self.session}/element/{list(found.values())[0]}/value", {"text": text})

    def click(self, selector):
        found = self.call("POST", f"{self.session}/element", {"using": "css selector", "value": selector})
        self.call("POST", f"{self.session}/element/{list(found.values())[0]}/click", {})

    def log(self, kind):
        return self.call("POST", f"{self.session}/se/log", {"type": kind})

    def requests(self):
        """The addresses that were asked for since the last call."""
        for entry in self.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                yield message["params"]["request"]["url"]

    def wait(self, what, script, *arguments, patience=60):
        """The first answer of the script that is true."""
        end = time.monotonic() + patience
        while True:
            answer = self.run(script, *arguments)
            if answer:
                return answer
            if time.monotonic() > end:
                page = self.run("return document.body.innerText")
                raise AssertionError(f"{what}: not seen within {patience} s; the page says:\n{page}")
            time.sleep(0.1)

    def size(self, width, height, dark=False, scale=1):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.cdp("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, path):
        """The visible part of the page as PNG."""
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", f"{self.session}/screenshot")))
