"""Draws how chains of plugins decide about a request.

    python3 scripts/pictures/chain.py OUTPUT.svg
"""

import pathlib
import sys

import svg

WIDTH, HEIGHT = 880, 576

# x, y, width, height, css, title, lines
BOXES = [
    (20, 72, 100, 50, "client", "request", []),
    (150, 44, 500, 106, "zone", "the chain authorize: may the client do this?", []),
    (190, 74, 140, 46, "wasm", "plugin", []),
    (470, 74, 140, 46, "wasm", "next plugin", []),
    (690, 44, 170, 106, "box", "after the last", ["any allow: allowed,", "with its profile;", "all abstain:", "policy.default"]),
    (190, 192, 200, 66, "box", "drop", ["no answer, so the client", "asks again"]),
    (420, 192, 200, 66, "box", "deny", ["ERROR with the code and", "the text of the plugin"]),
    (230, 310, 420, 106, "zone", "the chain resolve: which file?", []),
    (480, 340, 140, 46, "wasm", "plugin", []),
    (250, 340, 140, 46, "wasm", "next plugin", []),
    (20, 310, 170, 106, "box", "all abstain", ["the requested path,", "in the roots,", "in their order;", "missing: ERROR 1"]),
    (230, 466, 420, 66, "box", "the first candidate that exists", ["files, then content or a rendering, with a profile;", "none exists: the next plugin, or ERROR 1"]),
    (20, 466, 170, 66, "client", "transfer", ["with the strictest", "of all profiles"]),
]

# points, label, label position, anchor
ARROWS = [
    ([(120, 97), (190, 97)], "", None, ""),
    ([(330, 97), (470, 97)], "abstain or allow", (400, 90), "middle"),
    ([(610, 97), (690, 97)], "", None, ""),
    ([(290, 150), (290, 192)], "first drop", (298, 175), "start"),
    ([(520, 150), (520, 192)], "first deny", (528, 175), "start"),
    ([(725, 150), (725, 225), (620, 225)], "by default", (672, 218), "middle"),
    ([(790, 150), (790, 363), (620, 363)], "allowed", (798, 260), "start"),
    ([(290, 310), (290, 258)], "drop", (282, 284), "end"),
    ([(580, 310), (580, 258)], "deny", (588, 284), "start"),
    ([(480, 355), (390, 355)], "abstain", (435, 348), "middle"),
    ([(250, 363), (190, 363)], "", None, ""),
    ([(590, 386), (590, 466)], "serve", (598, 446), "start"),
    ([(290, 386), (290, 466)], "serve", (298, 446), "start"),
    ([(440, 466), (440, 371), (390, 371)], "else-next", (448, 446), "start"),
    ([(230, 499), (190, 499)], "", None, ""),
    ([(105, 416), (105, 466)], "", None, ""),
]

TITLE = "A request passes the chain authorize, then the chain resolve, and ends as transfer, ERROR or no answer"
DESCRIPTION = (
    "The plugins of the chain authorize are called in order. The first drop leaves the request without an answer, the "
    "first deny sends an ERROR. Abstain and allow go on to the next plugin. After the last one the request is allowed if "
    "any plugin allowed it, with the profile of each; if all abstained, policy.default allows or denies. An allowed "
    "request goes through the chain resolve. There the first plugin that does not abstain decides: deny, drop, or serve "
    "the first of its candidates that exists; with else-next the chain goes on if none exists. If all abstain, the server "
    "looks for the requested path in the roots. The transfer has the strictest of all profiles."
)


def main(output):
    body = [svg.HEAD]
    for box in BOXES:
        body += svg.box(*box)
    for arrow in ARROWS:
        body += svg.arrow(*arrow)
    caption = "The log has the plugin that decided, and its reason. A failed call denies or abstains: on-error."
    body.append(svg.text(WIDTH / 2, HEIGHT - 14, caption, "small", "middle"))
    document = svg.document(WIDTH, HEIGHT, TITLE, svg.DIAGRAM, body, DESCRIPTION)
    pathlib.Path(output).write_text(document, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
