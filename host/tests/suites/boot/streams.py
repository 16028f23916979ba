"""A capture of tcpdump: its frames, and the requests by HTTP of the clients' halves of TCP connections."""

import struct
from pathlib import Path

# What bears on the answer, or on the connection after it.
TOLD = ("range", "connection", "expect", "if-none-match", "if-modified-since")
TCP = 6


def frames(capture: Path) -> list:
    data, at, found = capture.read_bytes(), 24, []
    while at + 16 <= len(data):
        length = struct.unpack_from("<I", data, at + 8)[0]
        found.append(data[at + 16 : at + 16 + length])
        at += 16 + length
    return found


def is_ipv6(frame: bytes) -> bool:
    return frame[12:14] == b"\x86\xdd"


def is_tcp(frame: bytes) -> bool:
    return frame[20 if is_ipv6(frame) else 23] == TCP


def transport(frame: bytes) -> int:
    """Where the header of UDP or TCP begins. That of IPv6 has one size: none of these clients adds another to it."""
    return 14 + (40 if is_ipv6(frame) else 4 * (frame[14] & 15))


def requests(frames: list) -> dict:
    """Path and options of the requests of each connection, by the client's port."""
    found = {}
    for port, segments in halves(frames).items():
        for head in stream(segments).split(b"\r\n\r\n")[:-1]:
            first, *lines = head.decode("latin-1").split("\r\n")
            method, path, version = first.split(" ")
            fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            options = [method, version, *(f"{name}={fields[name].lower()}" for name in TOLD if name in fields)]
            found.setdefault(port, []).append((path, " ".join(options)))
    return found


def halves(frames: list) -> dict:
    """The segments of each connection, by the client's port: their places after its SYN, and their bytes."""
    found, begins = {}, {}
    for frame in filter(is_tcp, frames):
        at = transport(frame)
        port, _, number, _, offset, flags = struct.unpack_from(">HHIIBB", frame, at)
        if flags & 2:
            begins[port] = number + 1
        # Short frames are padded.
        end = len(frame) if is_ipv6(frame) else 14 + struct.unpack_from(">H", frame, 16)[0]
        place = (number - begins.get(port, number)) % (1 << 32)
        found.setdefault(port, []).append((place, frame[at + 4 * (offset >> 4) : end]))
    return found


def stream(segments: list) -> bytes:
    """The bytes in their order, each once, up to the first gap."""
    whole = b""
    for place, content in sorted(segments):
        if place <= len(whole):
            whole += content[len(whole) - place :]
    return whole
