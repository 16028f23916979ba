"""Reports what is not tested here; the suites in Python share it."""

import os


def skip(what: str) -> None:
    """On the terminal, and in the file that TUFFET_SKIPPED names."""
    line = f"skipped: {what}"
    print(line, flush=True)
    if listed := os.environ.get("TUFFET_SKIPPED"):
        with open(listed, "a", encoding="utf-8") as file:
            file.write(line + "\n")
