"""The live view in a real browser, on a real server with real transfers.

    python3 scripts/live-view/check.py BINARY
"""

import sys
import time

from browser import Browser
from scene import Client, Server

ROW = "[...document.querySelectorAll('#{} tbody tr')].find((row) => arguments[0].every((word) => row.innerText.includes(word)))"
STATE = "return document.getElementById('connection').textContent === arguments[0]"
SCRIPT = "<script>document.title='owned'</script><img src=x onerror=document.title='owned'>.cfg"


def step(words):
    print(f"live view: {words}", flush=True)


def progress_of_a_transfer(browser, server):
    step("a transfer that runs grows")
    client = Client(server, "127.0.8.11")
    client.later("debian-12/initrd.img", pace=0.02, options=[("blksize", 1428), ("windowsize", 8), ("tsize", 0)])
    part = f"const row = {ROW.format('active')}; return row && Number(row.querySelector('.progress').getAttribute('aria-valuenow'))"
    words = ["127.0.8.11", "debian-12/initrd.img"]
    first = browser.wait("a running transfer with progress", part, words)
    browser.wait("more progress", part + f" > {first}", words)
    assert 0 < first < 100, first
    text = browser.run(f"return {ROW.format('active')}.innerText", words)
    assert "% of 38.0 MB" in text and "/s" in text, text
    client.stopped.set()
    browser.wait("its end", f"return !{ROW.format('active')}", words)
    browser.wait("its outcome", f"return {ROW.format('finished')} !== undefined", [*words, "probed"])


def outcomes_and_reasons(browser, server):
    step("what ended, and why not")
    assert Client(server, "127.0.8.12").get("pxelinux.0") is None
    assert Client(server, "127.0.8.13").get("secret/keys.tar") == "this folder is closed"
    assert Client(server, "127.0.8.14").get("none") == "file not found"
    assert Client(server, "127.0.8.15").get("SEP001122334455.cnf.xml") is None
    for words in [
        ["served", "127.0.8.12", "pxelinux.0", "42.0 kB"],
        ["denied", "127.0.8.13", "secret/keys.tar", "by acl"],
        ["not-found", "127.0.8.14", "none"],
        ["served", "127.0.8.15", "00:11:22:33:44:55", "boot:phones/001122334455.cfg", "by mac-map"],
    ]:
        browser.wait(f"the row {words}", f"return {ROW.format('finished')} !== undefined", words)
    for words in [["acl", "authorize"], ["mac-map", "resolve"]]:
        browser.wait(f"the plugin {words}", f"return {ROW.format('plugins')} !== undefined", words)
    for chart in ["outcomes", "throughput", "latency"]:
        drawn = f"return [...document.querySelectorAll('#chart-{chart} path')].some((path) => path.getAttribute('d'))"
        browser.wait(f"something plotted: {chart}", drawn)


def nothing_is_run(browser, server):
    step("names that are HTML are shown as text")
    Client(server, "127.0.8.16").get(SCRIPT)
    Client(server, "127.0.8.17").get("evil\u202etxt.exe")
    cell = "return [...document.querySelectorAll('#finished td')].some((cell) => cell.textContent.includes(arguments[0]))"
    browser.wait("the name as it is", cell, SCRIPT)
    browser.wait("no name that turns round", cell, "evil\ufffdtxt.exe")
    found = browser.run("return [document.title, document.scripts.length, document.querySelectorAll('main img').length]")
    assert found == ["Tuffet", 1, 0], found


def filters(browser):
    step("filter and outcomes")
    rows = "return [...document.querySelectorAll('#finished tbody tr')].map((row) => row.innerText)"
    whole = len(browser.run(rows))
    browser.type("#filter", "127.0.8.13 KEYS")
    shown = browser.run(rows)
    assert len(shown) == 1 and "secret/keys.tar" in shown[0], shown
    browser.run("const filter = document.getElementById('filter'); filter.value = ''; filter.dispatchEvent(new Event('input'))")
    browser.click("#outcomes button:nth-child(5)")
    shown = browser.run(rows)
    assert shown and all("denied" in row for row in shown), shown
    browser.click("#outcomes button:nth-child(5)")
    assert len(browser.run(rows)) == whole


def fits(browser):
    step("fits a phone and a desk")
    for width, height in [(360, 740), (768, 1024), (1280, 900), (1920, 1080)]:
        browser.size(width, height)
        wide = browser.run("return document.documentElement.scrollWidth")
        assert wide <= width, f"{wide} wide in {width}"
    browser.size(1280, 900)


def quiet(browser, server):
    step("no error, and nothing asked of anybody else")
    errors = [entry for entry in browser.log("browser") if entry["level"] == "SEVERE"]
    assert not errors, errors
    asked = [url for url in browser.requests() if not url.startswith(("data:", "about:", "chrome:"))]
    foreign = [url for url in asked if not url.startswith(server.url)]
    assert asked and not foreign, foreign


def reconnects(browser, server):
    step("says when it is not live, and is live again after a restart")
    server.stop()
    browser.wait("that it is not live", STATE, "not live")
    said = browser.run("return document.getElementById('stale').innerText")
    assert "not live for" in said and "trying again" in said, said
    server.start()
    browser.wait("that it is live again", STATE, "live")
    browser.wait("no notice", "return document.getElementById('stale').hidden")
    browser.wait("nothing from before", "return document.querySelectorAll('#finished tbody tr').length === 0")
    assert Client(server, "127.0.8.18").get("ipxe.efi") is None
    browser.wait("what is new", f"return {ROW.format('finished')} !== undefined", ["served", "127.0.8.18"])


def token(browser, binary):
    step("asks for the token")
    with Server(binary, token="0123456789abcdef") as server:
        browser.open(server.url)
        browser.wait("the field", "return !document.getElementById('login').hidden")
        assert browser.run("return document.getElementById('view').hidden")
        browser.type("#token", "not the token, really\ue007")
        browser.wait("that it is wrong", "return !document.getElementById('refused').hidden")
        browser.type("#token", "0123456789abcdef\ue007")
        browser.wait("that it is live", STATE, "live")
        assert browser.run("return [document.cookie, localStorage.length, location.search]") == ["", 0, ""]


def main():
    binary = sys.argv[1]
    began = time.monotonic()
    with Server(binary) as server, Browser() as browser:
        browser.cdp("Network.enable")
        browser.open(server.url)
        browser.wait("that it is live", STATE, "live")
        progress_of_a_transfer(browser, server)
        outcomes_and_reasons(browser, server)
        nothing_is_run(browser, server)
        filters(browser)
        fits(browser)
        quiet(browser, server)
        reconnects(browser, server)
        token(browser, binary)
    print(f"live view: good, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
