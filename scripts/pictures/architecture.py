"""Draws how a request passes through the server.

    python3 scripts/pictures/architecture.py OUTPUT.svg
"""

import pathlib
import sys

import svg

WIDTH, HEIGHT = 880, 432

# x, y, width, height, css, title, lines
BOXES = [
    (20, 168, 110, 96, "client", "client", ["curl, PXE,", "phone, …"]),
    (200, 40, 300, 352, "zone", "worker threads: own sockets, transfers, timers", []),
    (220, 80, 260, 66, "box", "udp", ["listening port and TID ports,", "datagrams in batches"]),
    (220, 176, 260, 84, "box", "tuffet-core", ["the protocol as a state machine:", "datagrams and time in, blocks out;", "no sockets, clock, files"]),
    (220, 290, 260, 84, "box", "content", ["hot files from memory, others", "by preadv into the send buffer;", "uploads into a temporary file"]),
    (580, 40, 280, 352, "zone", "control runtime (tokio)", []),
    (600, 80, 240, 48, "box", "admission", ["deciding threads, or a task if it waits"]),
    (600, 146, 240, 66, "wasm", "policy", ["authorize, then resolve: plugins,", "instances fresh or reused"]),
    (600, 230, 240, 66, "box", "store", ["opens below a root; fsync and", "rename of finished uploads"]),
    (600, 312, 240, 66, "box", "events", ["one outcome for each request,", "one line in the log"]),
]

# points, label, label position, anchor
ARROWS = [
    ([(130, 196), (220, 113)], "", None, ""),
    ([(220, 133), (130, 226)], "", None, ""),
    ([(350, 146), (350, 176)], "", None, ""),
    ([(350, 260), (350, 290)], "", None, ""),
    ([(480, 104), (600, 104)], "request", (540, 97), "middle"),
    ([(600, 262), (540, 262), (540, 218), (480, 218)], "decision", (540, 280), "middle"),
    ([(480, 344), (600, 344)], "outcome", (540, 337), "middle"),
    ([(720, 128), (720, 146)], "", None, ""),
    ([(720, 212), (720, 230)], "", None, ""),
]


def main(output):
    body = [svg.HEAD]
    for box in BOXES:
        body += svg.box(*box)
    for arrow in ARROWS:
        body += svg.arrow(*arrow)
    body.append(svg.text(WIDTH / 2, HEIGHT - 14, "While blocks move, the left half works alone.", "small", "middle"))
    title = "A request passes from a worker to the control runtime and comes back decided; then blocks move"
    pathlib.Path(output).write_text(svg.document(WIDTH, HEIGHT, title, svg.DIAGRAM, body), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
