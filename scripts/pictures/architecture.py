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

STYLE = f"""
text {{ font: 12.5px {svg.FONT}; fill: #24292f; }}
.name {{ font-weight: 700; font-size: 13.5px; }}
.small {{ font-size: 11.5px; }}
.zone {{ fill: #f6f8fa; stroke: #8c959f; stroke-dasharray: 5 4; }}
.box, .client {{ fill: #ffffff; stroke: #57606a; }}
.wasm {{ fill: #ddf4ff; stroke: #0969da; }}
.arrow {{ fill: none; stroke: #57606a; stroke-width: 1.6; marker-end: url(#head); }}
.head {{ fill: #57606a; }}
@media (prefers-color-scheme: dark) {{
  text {{ fill: #e6edf3; }}
  .zone {{ fill: #161b22; stroke: #6e7681; }}
  .box, .client {{ fill: #0d1117; stroke: #8b949e; }}
  .wasm {{ fill: #0c2d4a; stroke: #58a6ff; }}
  .arrow {{ stroke: #8b949e; }}
  .head {{ fill: #8b949e; }}
}}
"""


def main(output):
    body = [
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto-start-reverse"><path class="head" d="M0 0 L8 4 L0 8 z"/></marker></defs>'
    ]
    for x, y, width, height, css, title, lines in BOXES:
        body.append(f'<rect class="{css}" x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>')
        centre = x + width / 2
        if css == "zone":
            body.append(svg.text(centre, y - 10, title, "name", "middle"))
            continue
        body.append(svg.text(centre, y + 20, title, "name", "middle"))
        body += [svg.text(centre, y + 39 + 17 * i, line, "small", "middle") for i, line in enumerate(lines)]
    for points, label, place, anchor in ARROWS:
        path = " L".join(f"{x} {y}" for x, y in points)
        body.append(f'<path class="arrow" d="M{path}"/>')
        if place:
            body.append(svg.text(*place, label, "small", anchor))
    body.append(svg.text(WIDTH / 2, HEIGHT - 14, "While blocks move, the left half works alone.", "small", "middle"))
    title = "A request passes from a worker to the control runtime and comes back decided; then blocks move"
    pathlib.Path(output).write_text(svg.document(WIDTH, HEIGHT, title, STYLE, body), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
