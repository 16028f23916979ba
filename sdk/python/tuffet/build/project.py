"""What a project says of itself in its ``pyproject.toml``."""

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import ProjectError

GRANTS = (
    "client-history",
    "client-mac",
    "clock",
    "files",
    "http",
    "kv",
    "metrics",
    "random",
    "sinks",
    "upload",
)
EVENTS = ("started", "progressed", "finished")

FORM = """\
[project]
name = "firmware"
version = "1.0.0"
description = "Pins the version of a firmware"

[tool.tuffet]
plugin = "firmware:Firmware" # the module and the class in it

[tool.tuffet.grants]
files = "reads the list of versions"

[tool.tuffet.optional]
client-mac = "tells machines apart"
"""


@dataclass(frozen=True)
class Project:
    folder: Path
    name: str
    version: str
    description: str
    module: str
    class_: str
    grants: dict[str, str]
    optional: dict[str, str]
    options: dict[str, Any]
    """What the manifest has in the same words."""
    links: dict[str, str]
    """The licence and the homepage, as far as there are."""

    @property
    def asked(self) -> set[str]:
        """Every grant that it asks for."""
        return {*self.grants, *self.optional}

    def manifest(self) -> bytes:
        """The section ``tuffet:manifest``."""
        wishes = [{"grant": grant, "reason": reason} for grant, reason in self.grants.items()]
        optional = [{"grant": grant, "reason": reason, "optional": True} for grant, reason in self.optional.items()]
        about = {"name": self.name, "version": self.version, "description": self.description}
        return json.dumps({**about, **self.links, "grants": wishes + optional, **self.options}, ensure_ascii=False).encode()


def read(folder: Path) -> Project:
    """Raises :class:`ProjectError` with all that is wrong."""
    file = folder / "pyproject.toml"
    try:
        document = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        raise ProjectError(f"{file} is not there. It says:\n\n{FORM}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ProjectError(f"{file}: {error}") from None
    wrong: list[str] = []

    def table(within: dict[str, Any], key: str, name: str) -> dict[str, Any]:
        found = within.get(key, {})
        if isinstance(found, dict):
            return found
        wrong.append(f"[{name}] is no table")
        return {}

    def text(within: dict[str, Any], key: str, name: str, needed: bool) -> str:
        found = within.get(key)
        if found is None and not needed:
            return ""
        if isinstance(found, str) and found.strip():
            return found
        wrong.append(f"`{key}` in [{name}] must be a text")
        return ""

    def wishes(key: str) -> dict[str, str]:
        found = table(tuffet, key, f"tool.tuffet.{key}")
        for grant, reason in found.items():
            if grant not in GRANTS:
                wrong.append(f"[tool.tuffet.{key}]: there is no grant {grant!r}: there are {', '.join(GRANTS)}")
            elif not isinstance(reason, str) or not reason.strip():
                wrong.append(f"[tool.tuffet.{key}]: {grant} needs a reason, which the operator reads")
        return found

    project = table(document, "project", "project")
    tuffet = table(table(document, "tool", "tool"), "tuffet", "tool.tuffet")
    options = ("events", "empty-batches", "facts", "depends-on", "needs", "reuse")
    known = ("plugin", *options, "grants", "optional")
    for key in tuffet.keys() - set(known):
        wrong.append(f"[tool.tuffet]: unknown key `{key}`; known here: {', '.join(known)}")
    events = tuffet.get("events")
    if events is not None and not (isinstance(events, list) and events and all(event in EVENTS for event in events)):
        wrong.append(f"`events` in [tool.tuffet] must be a list of {', '.join(EVENTS)}; leave it out for all")
    # The server knows which facts and attributes there are.
    for key in ("facts", "depends-on", "needs"):
        facts = tuffet.get(key, [])
        if not (isinstance(facts, list) and all(isinstance(fact, str) for fact in facts)):
            wrong.append(f"`{key}` in [tool.tuffet] must be a list of texts")
    grants, optional = wishes("grants"), wishes("optional")
    for grant in grants.keys() & optional.keys():
        wrong.append(f"the grant {grant} is both needed and optional")
    for key in ("empty-batches", "reuse"):
        if not isinstance(tuffet.get(key, False), bool):
            wrong.append(f"`{key}` in [tool.tuffet] must be true or false")
    entry = text(tuffet, "plugin", "tool.tuffet", True)
    named = re.fullmatch(r"([A-Za-z_][\w.]*):([A-Za-z_]\w*)", entry)
    if entry and not named:
        wrong.append(f"`plugin` in [tool.tuffet] is {entry!r}: MODULE:CLASS is wanted, such as firmware:Firmware")
    # Older projects have a table with the licence's text or file, which is no name.
    license, urls = project.get("license"), table(project, "urls", "project.urls")
    homepage = next((url for label, url in urls.items() if label.lower() == "homepage"), None)
    links = {"license": license, "homepage": homepage}
    found = Project(
        folder,
        text(project, "name", "project", True),
        text(project, "version", "project", False),
        text(project, "description", "project", False),
        named[1] if named else "",
        named[2] if named else "",
        grants,
        optional,
        {option: tuffet[option] for option in options if option in tuffet},
        {key: value for key, value in links.items() if isinstance(value, str) and value},
    )
    if wrong:
        raise ProjectError("\n".join(f"{file}: {each}" for each in wrong))
    return found
