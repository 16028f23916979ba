"""Draws docs/pictures/live-view.png and top.svg: the live view of a server whose clients boot; and live-view-dark.png,
-tablet.png and -phone.png, top-80.svg and top-132.svg: the same with 200 more transfers and a long name.

    python3 scripts/pictures/live_view.py BINARY FOLDER [SECONDS]
"""

import os
import pathlib
import random
import subprocess
import sys
import threading
import time

from terminal import draw

# The browser and the server with its clients are those of the tests.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "host/tests/suites/live-view"))
from browser import Browser  # noqa: E402
from scene import Client, Server  # noqa: E402

# Who boots, as (last number of its address, what it reads in order).
MACHINES = {
    21: ["pxelinux.0", "pxelinux.cfg/01-52-54-00-1a-2b-21", "pxelinux.cfg/default", "debian-12/vmlinuz", "debian-12/initrd.img"],
    22: ["ipxe.efi", "debian-12/vmlinuz", "debian-12/initrd.img"],
    23: ["grub/grubx64.efi", "grub/grub.cfg", "rescue/vmlinuz", "rescue/initrd.img"],
    24: ["undionly.kpxe", "rescue/vmlinuz", "rescue/initrd.img"],
    25: ["pxelinux.0", "pxelinux.cfg/01-52-54-00-1a-2b-25", "pxelinux.cfg/default", "debian-12/vmlinuz"],
    31: ["SEP001122334455.cnf.xml", "SEP001122334455.cnf.xml"],
    32: ["SEP00AABBCCDDEE.cnf.xml"],
    33: ["CTLSEP00AABBCCDD32.tlv", "SEP00AABBCCDD32.cnf.xml"],
    41: ["firmware/switch-9.3.bin"],
    66: ["pxelinux.0"],
    67: ["secret/keys.tar"],
}
CLASSES = {
    "small": [],
    "pxe": [("tsize", 0), ("blksize", 1456)],
    "ipxe": [("blksize", 1432), ("tsize", 0)],
    "grub": [("blksize", 1024), ("tsize", 0)],
    "uefi": [("tsize", 0), ("blksize", 1468), ("windowsize", 4)],
}


def boots(server, number, stopped):
    chance = random.Random(number)
    kind = {21: "pxe", 22: "ipxe", 23: "grub", 24: "uefi", 25: "pxe", 41: "uefi"}.get(number, "small")
    while not stopped.is_set():
        for name in MACHINES[number]:
            client = Client(server, f"127.0.8.{number}")
            large = any(word in name for word in ["initrd", "vmlinuz", "firmware"])
            pace = chance.uniform(0.0006, 0.004) if large else 0
            client.get(name, pace=pace, options=CLASSES[kind], forget=900 if number in (23, 41) else 0)
            if stopped.wait(chance.uniform(0.2, 1.2 if number < 30 else 4)):
                return
        stopped.wait(chance.uniform(1, 5))


def uploads(server, stopped):
    number = 0
    while not stopped.wait(6):
        number += 1
        Client(server, "127.0.8.42").put(f"switch-42/running-config-{number:03}", bytes(90_000))


def crowd(browser, server):
    long = "firmware/" + "a-name-that-is-longer-than-its-column-" * 5 + "end.bin"
    (server.folder / "files" / long).write_bytes(bytes(9_000_000))
    for number in range(1, 201):
        name, pace = (long, 0.01) if number == 1 else ("firmware/switch-9.3.bin", 0.5)
        Client(server, f"127.0.9.{number}").later(name, pace=pace, options=CLASSES["uefi"])
    browser.wait("200 transfers", "return Number(document.querySelector('#figures-now b').textContent) >= 200")


def terminal(binary, server, columns, output):
    command = [binary, "top", "--once", "--control", str(server.folder / "control")]
    environment = {**os.environ, "COLUMNS": str(columns)}
    frame = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    lines = frame.stdout.split("\n")
    # With many rows that run, the ended ones are far below.
    ended = next(number for number, line in enumerate(lines) if line.startswith("UTC "))
    shown = lines[:30] if ended < 25 else [*lines[:18], "", *lines[ended:ended + 12]]
    pathlib.Path(output).write_text(draw("\n".join(shown)), encoding="utf-8")


def main():
    binary, folder = sys.argv[1], sys.argv[2]
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 80
    stopped = threading.Event()
    with Server(binary) as server, Browser() as browser:
        (server.folder / "backups/switch-42").mkdir()
        for number in MACHINES:
            threading.Thread(target=boots, args=(server, number, stopped), daemon=True).start()
        threading.Thread(target=uploads, args=(server, stopped), daemon=True).start()
        browser.open(server.url)
        browser.size(1280, 1290)
        browser.wait("that it is live", "return document.getElementById('connection').textContent === 'live'")
        browser.click("#range button:nth-child(1)")
        time.sleep(seconds)
        browser.picture(f"{folder}/live-view.png")
        terminal(binary, server, 150, f"{folder}/top.svg")
        crowd(browser, server)
        for name, width, height, dark in [("dark", 1280, 1290, True), ("tablet", 768, 1600, True), ("phone", 390, 1900, False)]:
            browser.size(width, height, dark)
            time.sleep(1.5)
            browser.picture(f"{folder}/live-view-{name}.png")
        for columns in [80, 132]:
            terminal(binary, server, columns, f"{folder}/top-{columns}.svg")
        stopped.set()


if __name__ == "__main__":
    main()
