"""The command line."""

import argparse
import hashlib
import sys
from pathlib import Path

from .component import build
from .errors import BuildError


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0; with what is wrong on standard error 64 for the project, 69 where ``componentize-py`` is
    missing, 1 where it failed; 2 for a command line that is none."""
    parser = argparse.ArgumentParser(
        prog="tuffet.build",
        description="Builds a Python plugin for Tuffet as a WebAssembly component.",
    )
    parser.add_argument("project", type=Path, nargs="?", default=Path(), help="the folder that has its pyproject.toml")
    parser.add_argument("-o", "--output", type=Path, help="the component; default PROJECT/NAME.wasm")
    options = parser.parse_args(arguments)
    try:
        built = build(options.project, options.output)
    except BuildError as error:
        print(f"tuffet.build: {error}", file=sys.stderr)
        return error.code
    data = built.read_bytes()
    print(f"{built}: {len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}")
    return 0
