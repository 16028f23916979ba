"""The requests of a guest: as they were on the wire (a capture of ports 69 and 80), and as the server logged their ends."""

import json
import struct
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import streams
from cable import GUEST, NETWORK6, SERVER6


@dataclass(frozen=True)
class Request:
    """What a client asked, and what became of it.

    `path` and `options` are as they were on the wire. `granted` are the negotiated ones, empty if the request was refused; a
    `tsize` that is the size of the file stands there without its number.

    Of HTTP, `path` is what follows the method, `options` are the method, the version and what bears on the connection and the
    range; only the method is not known of HTTPS. `granted` is how much of the file left the server.
    """

    path: str
    options: str
    outcome: str
    character: str
    granted: str
    detail: str = field(default="", compare=False)
    # Whether all blocks but the last one are known to have arrived.
    complete: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        detail = f" ({self.detail})" if self.detail else ""
        return f"{self.path} [{self.options}] {self.outcome}, class {self.character}, granted [{self.granted}]{detail}"


def on_the_wire(frames: list) -> list:
    """Port, name and options of each read request by TFTP in a capture."""
    found = []
    for frame in frames:
        if streams.is_tcp(frame):
            continue
        udp = streams.transport(frame)
        opcode, fields = frame[udp + 8 : udp + 10], frame[udp + 10 :].split(b"\0")
        if opcode == b"\0\1":
            words = [field.decode("latin-1") for field in fields]
            pairs = [f"{name}={value}" for name, value in zip(words[2:-1:2], words[3::2], strict=False)]
            found.append((struct.unpack_from(">H", frame, udp)[0], words[0], pairs))
    return found


def of(log: Path, capture: Path, root: Path) -> list:
    """The guest's requests in the order in which the server logged their ends; the root is `{root}` in names."""
    frames, found = streams.frames(capture), []
    wire, http = on_the_wire(frames), streams.requests(frames)
    for line in log.read_text().splitlines():
        entry = json.loads(line) if line.startswith("{") else {}
        address, _, port = entry.get("client", "").rpartition(":")
        is_guest = address == GUEST or (address.startswith(f"[{NETWORK6}") and address != f"[{SERVER6}]")
        # A transfer that is slow has a line before its end, too.
        if entry.get("target") != "tuffet::transfer" or "outcome" not in entry or not is_guest:
            continue
        if entry.get("protocol") == "http":
            found.append(by_http(entry, http.get(int(port), [])))
            continue
        asked = set(entry.get("asked", "").split())
        request = next((
            (name, pairs) for from_port, name, pairs in wire
            if from_port == int(port) and same_name(name, entry["path"]) and asked <= {pair.lower() for pair in pairs}
            and bool(asked) == bool(pairs)
        ), None)  # fmt: skip
        if request is None:
            raise ValueError(f"the server logged a request that the guest did not send: {line}")
        numbers = f"{entry['blocks']} blocks, {entry['retransmissions']} retransmissions"
        detail = f"{numbers}, {entry['detail']}" if "detail" in entry else ""
        name, options = request[0].replace(str(root), "{root}"), " ".join(request[1])
        complete = entry.get("size", 0) - entry["bytes"] <= entry["blksize"]
        end = entry["outcome"], entry["class"], granted(entry), detail, complete
        found.append(Request(name, options, *end))
    return found + [Request(*left, "not logged", "", "") for of_port in http.values() for left in of_port]


def by_http(entry: dict, wire: list) -> Request:
    """A request by HTTP; it leaves `wire`, which has those of its connection that were not logged yet."""
    path, options = f"/{entry['path']}", "https"
    if not entry["listener"].endswith("https"):
        if not wire or not same_name(wire[0][0], entry["path"]):
            raise ValueError(f"the server logged a request that the guest did not send: {entry}")
        path, options = wire.pop(0)
    size, moved = entry.get("size"), entry["bytes"]
    sent = "" if entry["decision"] != "granted" else "whole" if moved == size else "nothing" if not moved else f"{moved} of {size}"
    return Request(path, options, entry["outcome"], entry["class"], sent, entry.get("detail", ""))


def same_name(asked: str, logged: str) -> bool:
    """The server takes a prefix from names, and may add the folder of shim."""
    one, other = f"/{plain(asked)}", f"/{plain(logged)}"
    return one.endswith(other) or other.endswith(one)


def granted(entry: dict) -> str:
    if entry["decision"] != "granted":
        return ""
    words = [f"blksize={entry['blksize']}", f"windowsize={entry['windowsize']}"]
    if "tsize" in entry:
        words.append("tsize" if entry["tsize"] == entry["size"] else f"tsize={entry['tsize']}")
    if "timeout_option" in entry:
        words.append(f"timeout={entry['timeout_option']}")
    return " ".join(words)


def plain(name: str) -> str:
    return "/".join(part for part in name.replace("\\", "/").split("/") if part)


def differences(expected: list, seen: list, lossy: bool) -> list:
    """What `seen` lacks of the expected requests, and has beside them, however often each of them is.

    An expected outcome may be one of several: `served or probed`.

    Where packets are lost, a client may give up an attempt and begin anew: each expected request must have had its
    end once, and other ends of the same request are no difference.
    """

    def same(want: Request, had: Request) -> bool:
        return (want.path, want.options, want.character) == (had.path, had.options, had.character)

    def fits(want: Request, had: Request) -> bool:
        return same(want, had) and want.granted == had.granted and had.outcome in want.outcome.split(" or ")

    # A machine that starts its kernel may take its network card down before the last ACK has left it.
    last = seen[-1] if seen else None
    if last and last.outcome == "timed-out" and last.complete:
        seen = [*seen[:-1], replace(last, outcome="served")]
    if lossy:
        # GRUB has closed the file when its last ACK is lost, and answers the last block never again.
        seen = [replace(had, outcome="served") if had.outcome == "timed-out" and had.complete else had for had in seen]
    missing = [want for want in expected if not any(fits(want, had) for had in seen)]
    more = [had for had in dict.fromkeys(seen) if not any(fits(want, had) for want in expected)]
    if lossy:
        # The ERROR with which UEFI ends its question for the size is lost for good if nobody repeats it.
        missing = [want for want in missing if not (want.outcome == "probed" and any(same(want, had) for had in seen))]
        more = [had for had in more if not any(same(want, had) for want in expected)]
    return [f"missing: {request}" for request in missing] + [f"not expected: {request}" for request in more]


def summary(seen: list) -> list:
    """Each request once, in its order, with the number of times."""
    return [f"{count} x {request}" if count > 1 else str(request) for request, count in Counter(seen).items()]
