"""Bars as SVG, in light and dark, as the plots of `tuffet-compare` look.

    plot.py RESULTS.json      renders the plot of a dated result again, beside it
"""

import html
import json
import os
import sys

from harness import median

STYLE = ("text{font:12px system-ui,sans-serif;fill:#1f2328}.title{font-weight:600}.unit{fill:#59636e}.peer{fill:#afb8c1}"
         ".own{fill:#0969da}.axis{stroke:#8c959f}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.unit{fill:#9198a1}"
         ".peer{fill:#59636e}.own{fill:#4493f8}.axis{stroke:#656c76}}")
NAMES, WIDTH, ROW, TOP = 210, 420, 20, 46


def bars(title, panels):
    """Panels below each other: a heading, and (name, value, text, whether it is Tuffet) for each bar."""
    parts, y = [], TOP
    for heading, rows in panels:
        longest = max((value for _, value, _, _ in rows), default=0) or 1
        parts.append(f'<text class="title" x="16" y="{y}">{html.escape(heading)}</text>')
        first = y + 9
        for name, value, text, own in rows:
            y += ROW
            length = WIDTH * value / longest
            parts.append(f'<text x="{NAMES - 8}" y="{y + 4}" text-anchor="end">{html.escape(name)}</text>'
                         f'<rect class="{"own" if own else "peer"}" x="{NAMES}" y="{y - 7}" width="{length:.1f}" height="14" rx="2"/>'
                         f'<text x="{NAMES + length + 6:.1f}" y="{y + 4}">{html.escape(text)}</text>')
        parts.append(f'<line class="axis" x1="{NAMES}" y1="{first}" x2="{NAMES}" y2="{y + 10}"/>')
        y += 40
    wide, high = NAMES + WIDTH + 220, y - 16
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" role="img" '
            f'aria-label="{html.escape(title, quote=True)}"><style>{STYLE}</style><text class="unit" x="16" y="22">'
            f'{html.escape(title)}</text>{"".join(parts)}</svg>\n')


def of_origin(cases):
    """Seconds until the last client of a cold or warm cache had its file."""
    panels = {}
    for entry in cases:
        seconds, done, all_of_them = (median(entry["rounds"], key) for key in ("seconds", "completed", "transfers"))
        text = f"{seconds:.1f} s" + ("" if done == all_of_them else f", {done} of {all_of_them} clients")
        own = not entry["server"].startswith("fbtftp")
        panels.setdefault(entry["case"], []).append((entry["server"], seconds, text, own))
    return bars("seconds until the last client has its file: shorter is better", list(panels.items()))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        results = json.load(file)
    with open(os.path.splitext(sys.argv[1])[0] + ".svg", "w", encoding="utf-8") as file:
        file.write(of_origin(results["cases"]))


if __name__ == "__main__":
    main()
