"""The live view in a real browser, on a real server with real transfers.

    python3 host/tests/suites/live-view/run.py BINARY
"""

import shutil
import sys
import time
from pathlib import Path

from browser import Browser
from scene import Client, Server

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from skipping import skip  # noqa: E402

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
    browser.run(f"{ROW.format('active')}.click()", words)
    shown = browser.wait("its details", "return document.querySelector('#active .details')?.innerText")
    for known in ["blksize=1428, windowsize=8, tsize=0", "tsize=38000000, blksize=1428, windowsize=8",
                  "acl (authorize): abstain, ", "mac-map (resolve): abstain, "]:
        assert known in shown, f"{known} is missing in {shown}"
    browser.run(f"{ROW.format('active')}.click()", words)
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
    for width, height in [(360, 740), (390, 844), (768, 1024), (1280, 900), (1920, 1080)]:
        browser.size(width, height)
        wide = browser.run("""
            return [document.documentElement, ...document.querySelectorAll('.card')].filter((it) => it.scrollWidth > it.clientWidth)
              .map((it) => `${it.id} ${it.className} ${it.scrollWidth}`)""")
        assert not wide, f"too wide in {width}: {wide}"
    browser.size(390, 844)
    top = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
    ended, charts = browser.run(top, ".card.ended"), browser.run(top, ".charts")
    assert ended < charts, "a phone shows charts before failures"
    browser.size(1280, 900)
    zeros = browser.run("return [...document.querySelectorAll('#queues tr, #dropped tr')].map((row) => row.innerText).filter((row) => /\\t0$/.test(row))")
    assert not zeros, zeros


LONG = "firmware/" + "a-name-that-is-longer-than-its-column-" * 5 + "end.bin"
# What does not fit: cells of more than two lines, times and addresses that wrap, labels of a scale that are cut.
MISFITS = """
const found = [];
const wide = innerWidth > 700;
for (const row of document.querySelectorAll('.request')) {
  if (wide && row.offsetHeight > 62) found.push(`a row of ${row.offsetHeight}: ${row.innerText}`);
  for (const cell of row.querySelectorAll('td:not(.wide), td > span, td > small')) {
    if (cell.offsetHeight > 60 || (cell.tagName !== 'TD' && cell.offsetHeight > 24)) found.push(`wraps: ${cell.innerText}`);
  }
  for (const cell of row.querySelectorAll('td.n, td.time')) {
    if (cell.scrollWidth > cell.clientWidth) found.push(`is cut: ${cell.innerText}`);
  }
}
for (const label of document.querySelectorAll('.chart text')) {
  const box = label.getBBox();
  if (box.x < 0 || box.x + box.width > label.ownerSVGElement.clientWidth + 1) found.push(`is cut: ${label.textContent}`);
}
for (const value of document.querySelectorAll('.figure b')) {
  if (value.scrollWidth > value.clientWidth) found.push(`is cut: ${value.innerText}`);
}
if (document.documentElement.scrollWidth > innerWidth) found.push(`${document.documentElement.scrollWidth} wide`);
return found;
"""


def crowd(browser, server):
    step("200 transfers and a long name: columns stay, failures come first")
    (server.folder / "files" / LONG).write_bytes(bytes(9_000_000))
    clients = [Client(server, f"127.0.9.{number}") for number in range(1, 201)]
    for number, client in enumerate(clients):
        client.later(LONG if number == 0 else "firmware/switch-9.3.bin", pace=0.05 if number == 0 else 1, options=[("blksize", 1024)])
    for number in range(30):
        assert Client(server, f"127.0.8.{100 + number}").get("pxelinux.cfg/default") is None
    browser.wait("200 transfers", "return document.querySelector('#figures-now b').textContent === '200'")
    rows = "return [...document.querySelectorAll('#{} tbody .request')].map((row) => row.innerText)"
    assert len(browser.run(rows.format("active"))) == 15
    browser.wait("failures first", f"return (() => {{ {rows.format('finished')} }})()[0].match('denied|not-found')")
    browser.click("#active-more")
    assert len(browser.run(rows.format("active"))) == 200
    browser.click("#active-more")
    assert len(browser.run(rows.format("active"))) == 15
    browser.wait("the long name, whole on hover", """
        const name = [...document.querySelectorAll('#active td > span')].find((span) => span.title.endsWith('end.bin'));
        return name && name.title === arguments[0] && name.scrollWidth > name.clientWidth""", LONG)
    for width, height in [(1280, 900), (768, 1024), (390, 844)]:
        for dark in [False, True]:
            browser.size(width, height, dark)
            found = browser.run(MISFITS)
            assert not found, f"{width} wide: {found}"
            apart = browser.run("""
                const canvas = document.createElement('canvas').getContext('2d');
                const rgb = (name) => {
                  canvas.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name);
                  return [1, 3, 5].map((at) => parseInt(canvas.fillStyle.slice(at, at + 2), 16));
                };
                const [one, other] = ['--denied', '--failed'].map(rgb);
                return Math.hypot(...one.map((value, index) => value - other[index]));""")
            assert apart > 90, f"denied and failed look the same: {apart}"
    browser.size(1280, 900)
    for client in clients:
        client.stopped.set()
    browser.wait("their end", "return document.querySelector('#figures-now b').textContent === '0'")


def stuck(browser, server):
    step("among more transfers than the server sends, the stuck one is found by order and by filter")
    clients = [Client(server, f"127.0.10.{number}") for number in range(1, 231)]
    for client in clients:
        client.later("firmware/switch-9.3.bin", pace=0.5, options=[("blksize", 1024)])
    silent = Client(server, "127.0.11.1")
    silent.later("firmware/switch-9.3.bin", pace=20)
    browser.wait("all of them", "return document.querySelector('#figures-now b').textContent === '231'")
    first = "const row = document.querySelector('#active tbody .request'); return row && row.innerText.includes('127.0.11.1') && row.innerText.includes('still')"
    click = "[...document.querySelectorAll('#active th button')].find((button) => button.textContent.includes('Rate')).click()"
    assert not browser.run(first)
    browser.run(click)
    browser.wait("the stuck one first", first)
    assert browser.run("return document.querySelector('#active th[aria-sort]').getAttribute('aria-sort')") == "ascending"
    browser.run(click)
    browser.run(click)
    browser.wait("the order of before", "return document.querySelector('#active th[aria-sort]') === null")
    sent = r"return Number([...document.querySelectorAll('#figures-total .figure')].find((it) => it.innerText.includes('resent')).title.match(/about (.*) packets/)[1].replace(/\D/g, ''))"
    before = browser.run(sent)
    write = "const filter = document.getElementById('filter'); filter.value = arguments[0]; filter.dispatchEvent(new Event('input'))"
    counted = "return document.getElementById('active-count').innerText.replace(/\u2009/g, '') === arguments[0]"
    for words, said in [
        ("root:boot", "200 of 231 that match, 231 run"),
        ("client:127.0.11.1", "1 that match, 231 run"),
        ("of-no-request", "0 that match, 231 run"),
    ]:
        browser.run(write, words)
        browser.wait(f"the count for {words}", counted, said)
    empty = browser.run("return ['active', 'finished'].map((name) => document.getElementById(`${name}-empty`).innerText)")
    assert empty == ["Nothing that runs matches the filter.", "Nothing that ended matches the filter."], empty
    assert browser.run(sent) >= before, "the packets of all transfers depend on the filter"
    for words in ["state:stuck", "client:127.0.11.1 root:boot", "client:127.0.10.150"]:
        browser.run(write, words)
        browser.wait(f"one row for {words}", "return document.querySelectorAll('#active tbody .request').length === 1")
    browser.run(write, "")
    for client in [*clients, silent]:
        client.stopped.set()
    browser.wait("the rows of before", "return document.querySelectorAll('#finished tbody .request').length > 1")


def tiles(browser, server):
    step("tiles for failures, refusals and retransmissions; host, listeners and roots")
    tile = "return [...document.querySelectorAll('#figures-total .figure')].find((it) => it.innerText.includes(arguments[0])).innerText"
    refused = browser.run(tile, "refused")
    assert int(refused.split()[0]) >= 2, refused
    assert browser.run(tile, "failed").split()[0] == "0"
    # A bound says that it is one, and no request waited for longer than the server runs.
    assert "≤" in browser.run(tile, "99 % decided")
    assert "%" in browser.run(tile, "resent")
    about = browser.run("return document.getElementById('about').innerText")
    assert open("/proc/sys/kernel/hostname").read().strip() in about, about
    where = browser.run("return document.querySelector('.where').innerText")
    assert f"lan 127.0.0.1:{server.address[1]}" in where and "boot, backups" in where, where


SERVERS = [
    {"server": "branch-7", "version": "0.1.0", "generation": 3, "revision": "42", "ready": True, "active": 2,
     "bytes_per_second": 2_500_000, "ended": 12, "failures": 1, "started_unix_ms": 0, "silent_seconds": 0},
    {"server": "<img src=x onerror=document.title='owned'>", "version": "0.1.0", "generation": 1, "revision": "", "ready": False,
     "active": 0, "bytes_per_second": 0, "ended": 0, "failures": 0, "started_unix_ms": 0, "silent_seconds": 31},
]
ORIGINS = [
    {"root": "images", "origin": "https://files.example/" + "boot-" * 30, "breaker": "closed", "cache_bytes": 512_000_000,
     "cache_limit": 1_000_000_000, "cache_files": 3, "running": 0, "hits": 70, "misses": 4, "stale": 0, "fetches": 9,
     "failures": 0, "unstored": 0, "damaged": 0, "received": 61_000_000, "sent": 0},
]
ORIGINS += [
    ORIGINS[0] | {"root": "away", "away_seconds": 31, "why": "connection refused", "stale": 5},
    ORIGINS[0] | {"root": "probed", "breaker": "half-open"},
    ORIGINS[0] | {"root": "broken", "cache_error": "read-only"},
]


def places(browser):
    step("servers, of which one can be chosen, and origins")
    assert browser.run("return ['servers', 'origins'].every((name) => document.getElementById(`${name}-card`).hidden)")
    browser.run("import('/servers.js').then((module) => { window.tables = module; })")
    browser.wait("the tables", "return window.tables !== undefined")
    # All in one go: the next snapshot of this server has neither.
    shown = browser.run("window.tables.servers(arguments[0]); return document.getElementById('servers-card').innerText", SERVERS)
    for word in ["branch-7", "ready", "2.50 MB/s", "12", "42", "generation 3", "0.1.0", "silent for 31 s", "onerror"]:
        assert word in shown, f"{word} is missing in {shown}"
    chosen = browser.run("""
        window.tables.servers(arguments[0]);
        const row = document.querySelector('#servers tbody tr');
        const filter = document.getElementById('filter');
        const rows = () => document.querySelectorAll('#finished tbody tr').length;
        const before = rows();
        row.click();
        const during = [filter.value, rows()];
        window.tables.servers(arguments[0]);
        document.querySelector('#servers tbody tr').click();
        return [...during, filter.value, rows() === before && before > 0];""", SERVERS)
    assert chosen == ["branch-7", 0, "", True], chosen
    shown = browser.run("window.tables.origins(arguments[0]); return document.getElementById('origins-card').innerText", ORIGINS)
    for word in ["images", "answers", "70", "61.0 MB", "512 MB", "of 1.00 GB", "away for 31 s", "connection refused",
                 "breaker open", "cache unusable", "read-only"]:
        assert word in shown, f"{word} is missing in {shown}"
    for width, height in [(1280, 900), (390, 844)]:
        browser.size(width, height)
        wide = browser.run("""
            window.tables.servers(arguments[0]);
            window.tables.origins(arguments[1]);
            return document.documentElement.scrollWidth""", SERVERS, ORIGINS)
        assert wide <= width, f"{wide} wide in {width}"
    browser.size(1280, 900)
    browser.wait("neither of this server", "return ['servers', 'origins'].every((name) => document.getElementById(`${name}-card`).hidden)")


def details(browser):
    step("a click on a row: all that is known")
    for words, known in [
        (["not-found", "127.0.8.14"], ["boot:none", "Outcome", "not-found (refused)", "Listener", "lan", "Plugins", "none"]),
        (["served", "127.0.8.15"], ["by", "mac-map", "boot:phones/001122334455.cfg", "Decision after",
                                     "acl (authorize): abstain, ", "mac-map (resolve): files, "]),
    ]:
        browser.run(f"{ROW.format('finished')}.click()", words)
        shown = "return document.querySelector('#finished .details')?.innerText"
        text = browser.wait("the details", shown)
        assert all(word in text for word in known), text
        browser.run(f"{ROW.format('finished')}.click()", words)
        assert browser.run(shown) is None


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
    pill = browser.run("const ready = document.getElementById('ready'); return [ready.className, ready.innerText]")
    # A server that stops says so, if it still sends a snapshot.
    words = ("ready", "draining", "not ready")
    assert pill in [["pill", f"was {word}"] for word in words], pill
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
    if not shutil.which("chromedriver"):
        skip("the web page: there is no Chromium")
        return
    began = time.monotonic()
    with Server(binary) as server, Browser() as browser:
        browser.cdp("Network.enable")
        browser.open(server.url)
        browser.wait("that it is live", STATE, "live")
        progress_of_a_transfer(browser, server)
        outcomes_and_reasons(browser, server)
        nothing_is_run(browser, server)
        filters(browser)
        tiles(browser, server)
        details(browser)
        places(browser)
        fits(browser)
        crowd(browser, server)
        stuck(browser, server)
        quiet(browser, server)
        reconnects(browser, server)
        token(browser, binary)
    print(f"live view: good, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
