#!/usr/bin/env python3
"""What REDbot notes about the answers for a URL: a line each, with its level (good, info, warning, bad).

    VENV/bin/python host/tests/suites/http-clients/judge.py URL

It asks again with conditions, a range and codings, and compares.
"""

import sys
from configparser import ConfigParser

import thor
from redbot.resource import HttpResource


def main() -> None:
    config = ConfigParser()
    config.read_dict({"redbot": {"enable_local_access": "True"}})
    resource = HttpResource(config["redbot"])
    resource.set_request(sys.argv[1])
    resource.once("check_done", thor.stop)
    resource.check()
    thor.run()
    if not resource.response.complete:
        print("bad: there is no complete answer")
    for one in (resource, *resource.subreqs.values()):
        for note in one.response.notes:
            print(f"{note.level.value}: {note.summary}")


if __name__ == "__main__":
    main()
