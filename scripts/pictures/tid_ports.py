"""Draws which ports a transfer uses, and what a firewall or NAT sees of it.

    python3 scripts/pictures/tid_ports.py OUTPUT.svg
"""

import pathlib
import sys

import svg

WIDTH, HEIGHT, ROW = 880, 478, 154

# heading, what the path sees, port that answers, whether the answer needs a rule
MODES = [
    (
        "default: one of 512 ports that the kernel chose at the start",
        "two flows",
        ["the second comes from a port", "that no rule can name: only", "a TFTP helper lets it in"],
        41873,
        True,
    ),
    (
        "tid-ports: 30000-30511",
        "two flows",
        ["the second comes from the", "range: a rule for its ports, or", "a TFTP helper, lets it in"],
        30217,
        True,
    ),
    (
        "single-port: true",
        "one flow",
        ["firewalls with state, NAT and", "balancers by flow let it in;", "the port is no secret then"],
        69,
        False,
    ),
]

STYLE = svg.DIAGRAM + """
.both { marker-start: url(#head); }
.held { stroke-dasharray: 5 4; }
"""

TITLE = "Ports of a transfer, and what a firewall or NAT sees: by default, with a range of TID ports, in single-port mode"
DESCRIPTION = (
    "A client sends its request from port 50000 to port 69. By default the server answers from a TID port, here 41873; "
    "blocks and ACKs go between that port and the client's. A firewall or NAT on the way sees a second flow, and lets it "
    "in only with a helper for TFTP. With tid-ports the answer comes from a port of the configured range, here 30217, so "
    "that a rule can name it. With single-port the answer comes from port 69, and the whole transfer is one flow."
)


def row(top, heading, flows, lines, port, second):
    client, path, server = (20, 120), (320, 240), (740, 120)
    parts = [svg.text(20, top, heading, "name")]
    top += 12
    parts += svg.box(client[0], top, client[1], 98, "client", "client", ["", "port 50000"])
    parts += svg.box(path[0], top, path[1], 98, "zone", "", [])[:1]
    parts.append(svg.text(path[0] + path[1] / 2, top + 20, flows, "name", "middle"))
    parts += [
        svg.text(path[0] + path[1] / 2, top + 43 + 17 * i, line, "small", "middle") for i, line in enumerate(lines)
    ]
    parts += svg.box(server[0], top, server[1], 98, "wasm", "server", [""])
    left, right = (client[0] + client[1], path[0]), (path[0] + path[1], server[0])
    request, answer = top + 40, top + 78
    for at, port_of_it in [(request, 69), (answer, port)]:
        parts.append(svg.text(server[0] + server[1] / 2, at + 4, f"port {port_of_it}", "small", "middle"))
    for begin, end in [left, right]:
        middle = (begin + end) / 2
        parts += svg.arrow([(begin, request), (end, request)], "request", (middle, request - 7), "middle")
        held = " held" if second and end == path[0] else ""
        parts += svg.arrow(
            [(begin, answer), (end, answer)], "blocks and ACKs", (middle, answer - 7), "middle", f"arrow both{held}"
        )
    return parts


def main(output):
    body = [svg.HEAD]
    body.append(svg.text(440, 20, "firewall or NAT on the way (dashed: only with a rule or a helper)", "small", "middle"))
    for number, mode in enumerate(MODES):
        body += row(46 + number * ROW, *mode)
    document = svg.document(WIDTH, HEIGHT, TITLE, STYLE, body, DESCRIPTION)
    pathlib.Path(output).write_text(document, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
