"""The command line."""

import argparse
import hashlib
import sys
from pathlib import Path

from .component import BuildError, build


def main(arguments: list[str] | None = None) -> int:
    """0; or 1 with what is wrong on standard error; or 2 for a command line that is none."""
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
        return 1
    data = built.read_bytes()
    print(f"{built}: {len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}")
    return 0
