"""A frame of `tuffet top --once` as SVG."""

import re

import svg

# What is coloured in the terminal, too; each word once in a line.
COLORS = [
    (r"(?<=^\d\d:\d\d:\d\d  )(served|stored)\b", "good"), (r"(?<=^\d\d:\d\d:\d\d  )(denied|failed)\b", "bad"),
    (r"(?<=^\d\d:\d\d:\d\d  )(probed|aborted|not-found|timed-out)\b", "fair"),
    (r"\b(live|ready)\b(?=  |$)", "good"), (r"[█░▁▂▃▄▅▆▇]+", "bar"), (r"^(CLIENT|UTC |throughput).*|^q quit.*", "quiet"),
]

STYLE = f"""
.window {{ fill: #0d1117; stroke: #6e7681; }}
text {{ font: 12px {svg.FONT}; fill: #c9d1d9; }}
.good {{ fill: #7ee787; }} .bad {{ fill: #ffa198; }} .fair {{ fill: #e3b341; }}
.bar {{ fill: #79c0ff; }} .quiet, .title {{ fill: #8b949e; }}
"""


def draw(frame):
    lines = frame.rstrip("\n").split("\n")
    height, left, top, character = 17, 18, 52, 7.23
    columns = max(len(line) for line in lines)
    size = (left * 2 + columns * character, top + height * len(lines))
    body = [
        f'<rect class="window" x="0.5" y="0.5" width="{size[0] - 1:g}" height="{size[1] - 1:g}" rx="8"/>',
        *(f'<circle cx="{20 + 18 * i}" cy="19" r="5.5" fill="{fill}"/>'
          for i, fill in enumerate(["#ff5f56", "#ffbd2e", "#27c93f"])),
        svg.text(size[0] / 2, 24, "tuffet top", "title", "middle"),
    ]
    for number, line in enumerate(lines):
        y = top + height * number
        for start, end, css in parts(line):
            # Each run of words at its column, so that any font keeps the columns.
            for run in re.finditer(r"\S+(?: \S+)*", line[start:end]):
                at = left + (start + run.start()) * character
                length = f'textLength="{len(run[0]) * character:g}" lengthAdjust="spacingAndGlyphs" '
                body.append(svg.text(at, y, run[0], css).replace("<text ", "<text " + length, 1))
    return svg.document(*size, "tuffet top: what runs and what ended", STYLE, body)


def parts(line):
    marks = sorted((found.span(), css) for pattern, css in COLORS for found in re.finditer(pattern, line))
    at = 0
    for (start, end), css in marks:
        if start < at:
            continue
        yield at, start, ""
        yield start, end, css
        at = end
    yield at, len(line), ""
