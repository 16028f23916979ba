"""Runs ``componentize-py``: which world, which module, and the manifest behind it."""

import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ..plugin import Plugin, exports
from . import grants, project
from .errors import BuildError, ProjectError, ToolError
from .project import Project

PACKAGE = Path(__file__).resolve().parent.parent
WIT = PACKAGE / "wit"
TOOL = "componentize-py"
# What it makes differs from one version to the next, and 0.x promises nothing.
TOOL_VERSION = "0.25"
ENTRY = "tuffet_entry"
# The interface of each grant that has one of its own.
IMPORTS = {
    "kv": "kv",
    "files": "files",
    "sinks": "sinks",
    "metrics": "metrics",
    "upload": "upload-content",
    "client-history": "history",
}
MANIFEST = b"tuffet:manifest"
# The version of the files wasi-*.wit; every later 0.2 fits.
WASI = "0.2.0"


def build(folder: Path, output: Path | None = None) -> Path:
    """Builds the component of the project in a folder and says where it is. Raises :class:`BuildError`."""
    its = project.read(folder)
    its_exports = _exports(its)
    tool = _tool()
    output = output or folder / f"{its.name}.wasm"
    with tempfile.TemporaryDirectory(prefix="tuffet-build-") as scratch:
        wit, app = Path(scratch, "wit"), Path(scratch, "app")
        _write_world(wit, its, its_exports)
        _write_entry(app, its, its_exports)
        made = Path(scratch, "made.wasm")
        command = [tool, "--quiet", "--wit-path", str(wit), "--world", "plugin"]
        command += ["--import-interface-name", f"tuffet:policy/types@{_version()}=policy_types"]
        if "http" in its.asked:
            command += ["--import-interface-name", f"wasi:http/types@{WASI}=http_types"]
        command += ["componentize", ENTRY, "--output", str(made)]
        for path in (app, folder, PACKAGE.parent):
            command += ["--python-path", str(path)]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode or not made.is_file():
            said = "\n".join(filter(None, [ran.stdout.strip(), ran.stderr.strip()]))
            raise BuildError(f"{TOOL} failed ({ran.returncode}):\n{said}")
        _place(made.read_bytes() + _section(its.manifest()), output)
    return output


def _exports(its: Project) -> list[str]:
    """Imports the plugin, as its tests do, to see which methods it has and which modules it needs."""
    known = set(sys.modules)
    sys.path.insert(0, str(its.folder))
    try:
        module = importlib.import_module(its.module)
    except Exception as error:
        where = f"{its.folder}: the module {its.module} cannot be imported"
        raise ProjectError(f"{where}: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(its.folder))
    found = getattr(module, its.class_, None)
    if not (isinstance(found, type) and issubclass(found, Plugin)):
        raise ProjectError(f"{its.folder}: {its.module}.{its.class_} is no class that derives from tuffet.Plugin")
    try:
        its_exports = exports(found)
    except TypeError as error:
        raise ProjectError(f"{its.folder}: {error}") from None
    grants.check(its, [each for name, each in sys.modules.items() if name not in known])
    return its_exports


def _tool() -> str:
    """``componentize-py``, where ``$COMPONENTIZE_PY`` says, beside this Python, or on the path."""
    remedy = f"install it with `{sys.executable} -m pip install '{TOOL}=={TOOL_VERSION}.*'`"
    beside = Path(sys.executable).with_name(TOOL)
    tool = os.environ.get("COMPONENTIZE_PY") or (str(beside) if beside.is_file() else shutil.which(TOOL))
    if not tool:
        raise ToolError(f"{TOOL} is missing: {remedy}, or name it in COMPONENTIZE_PY")
    try:
        said = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise ToolError(f"{tool} cannot be run: {error}; {remedy}") from None
    if not re.search(rf"\b{re.escape(TOOL_VERSION)}\.", said):
        raise ToolError(f"{tool} is {said.strip()}, and version {TOOL_VERSION} is wanted: {remedy}")
    return tool


def _version() -> str:
    """The version of the interface, as its own file has it."""
    found = re.search(r"^package tuffet:policy@(\S+);", (WIT / "policy.wit").read_text("utf-8"), re.M)
    if not found:
        raise BuildError(f"{WIT / 'policy.wit'} does not say which version of tuffet:policy it is")
    return found[1]


def _write_world(wit: Path, its: Project, its_exports: list[str]) -> None:
    """A component describes exactly what it exports and imports: what its plugin has and asks for."""
    packages = ["policy", *(["wasi-io", "wasi-http"] if "http" in its.asked else [])]
    for package in packages:
        folder = wit / "deps" / package
        folder.mkdir(parents=True)
        shutil.copyfile(WIT / f"{package}.wit", folder / f"{package}.wit")
    imports = ["log", *(name for grant, name in IMPORTS.items() if grant in its.asked)]
    exported = ["lifecycle", *(name.replace("_", "-") for name in its_exports)]
    lines = [f"import tuffet:policy/{name}@{_version()};" for name in imports]
    if "http" in its.asked:
        lines.append(f"import wasi:http/outgoing-handler@{WASI};")
    lines += [f"export tuffet:policy/{name}@{_version()};" for name in exported]
    world = "".join(f"    {line}\n" for line in lines)
    (wit / "world.wit").write_text(f"package tuffet:python;\n\nworld plugin {{\n{world}}}\n", "utf-8")


def _write_entry(app: Path, its: Project, its_exports: list[str]) -> None:
    app.mkdir()
    names = ["Lifecycle", *(name.title().replace("_", "") for name in its_exports)]
    lines = [
        "from tuffet.wasm import exports",
        f"from tuffet.wasm.exports import {', '.join(names)}",
        f"from {its.module} import {its.class_}",
        f"exports.use({its.class_})",
    ]
    # Not when the first event comes: there are no files to import from.
    if "observe" in its_exports:
        lines.insert(0, "import tuffet.wasm.observed")
    (app / f"{ENTRY}.py").write_text("".join(line + "\n" for line in lines), "utf-8")


def _section(content: bytes) -> bytes:
    """A custom section, as docs/plugins-without-sdk.md describes it."""
    body = bytes([len(MANIFEST)]) + MANIFEST + content
    return b"\0" + _leb128(len(body)) + body


def _leb128(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def _place(component: bytes, output: Path) -> None:
    """Whole or not at all: a server may be reading the old one."""
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        new = output.with_name(f".{output.name}.new")
        new.write_bytes(component)
        os.replace(new, output)
    except OSError as error:
        raise BuildError(f"{output}: {error}") from None
