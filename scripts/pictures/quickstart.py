"""Runs the quickstart, tries it, and draws the session as it happened.

    python3 scripts/pictures/quickstart.py FOLDER_OF_THE_BINARY OUTPUT.svg
"""

import json
import os
import pathlib
import subprocess
import sys

import svg

ROOT = pathlib.Path(__file__).resolve().parents[2]
URL = "tftp://127.0.0.1:6969/"
TRIES = [
    "tuffet get -q -o - " + URL + "hello.txt",
    "tuffet get -q -o - " + URL + "secret/plan.txt",
    "tuffet get -q -o - " + URL + "SEP001122334455.cnf.xml",
    "tuffet get -q -o - " + URL + "SEP00AABBCCDDEE.cnf.xml",
]
# Of each line of the log, these fields are drawn: all of them would not fit.
FIELDS = ["outcome", "path", "resolved", "detail", "verdict_by"]


def main(bin_folder, output):
    environment = dict(os.environ, PATH=bin_folder + os.pathsep + os.environ["PATH"], NO_COLOR="1")
    server = subprocess.Popen(
        ["tuffet", "serve", "--user", str(os.getuid()), "--config", "examples/quickstart/tuffet.yaml", "--log-format", "json"],
        cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True,
    )
    try:
        log = read_log(server.stderr)
        wait_for(log, lambda entry: entry.get("message") == "serving")
        session = []
        for command in TRIES:
            ran = subprocess.run(
                command, shell=True, cwd=ROOT, env=environment, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=30, check=False,
            )
            session.append(("command", "$ " + command))
            session += [("plain" if ran.returncode == 0 else "bad", line) for line in ran.stdout.splitlines()]
            path = command.rpartition(URL)[2]
            entry = wait_for(log, lambda entry: entry.get("path") == path)
            session.append((level(entry), "  log: " + shown(entry)))
            session.append(("plain", ""))
    finally:
        server.terminate()
        server.wait(timeout=20)
    pathlib.Path(output).write_text(draw(session[:-1]), encoding="utf-8")


def read_log(stream):
    for line in stream:
        yield json.loads(line)


def wait_for(log, wanted):
    for entry in log:
        if wanted(entry):
            return entry
    sys.exit("the server stopped; is 127.0.0.1:6969 free?")


def level(entry):
    return "good" if entry["level"] == "INFO" else "bad"


def shown(entry):
    return " ".join(f"{field}={entry[field]}" for field in FIELDS if entry.get(field) is not None)


STYLE = f"""
.window {{ fill: #0d1117; stroke: #6e7681; }}
text {{ font: 13px {svg.FONT}; fill: #c9d1d9; }}
.command {{ fill: #79c0ff; font-weight: 600; }}
.good {{ fill: #7ee787; }}
.bad {{ fill: #ffa198; }}
.title {{ fill: #8b949e; }}
"""


def draw(lines):
    line_height, left, top, character = 20, 18, 52, 7.85
    width = left * 2 + max(len(line) for _, line in lines) * character
    height = top + line_height * len(lines)
    body = [
        f'<rect class="window" x="0.5" y="0.5" width="{width - 1:g}" height="{height - 1:g}" rx="8"/>',
        *(f'<circle cx="{20 + 18 * i}" cy="19" r="5.5" fill="{fill}"/>'
          for i, fill in enumerate(["#ff5f56", "#ffbd2e", "#27c93f"])),
        svg.text(width / 2, 24, "examples/quickstart", "title", "middle"),
    ]
    body += [svg.text(left, top + line_height * i, line, css) for i, (css, line) in enumerate(lines) if line]
    return svg.document(width, height, "The quickstart: four requests and the log of the server", STYLE, body)


if __name__ == "__main__":
    main(*sys.argv[1:])
