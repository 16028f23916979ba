"""Which grants the code of a plugin needs, by what it imports of the SDK."""

import ast
from pathlib import Path
from types import ModuleType
from typing import Iterable, Iterator

from .errors import ProjectError
from .project import Project

# The module of each grant.
MODULES = {
    "files": "files",
    "history": "client-history",
    "http": "http",
    "kv": "kv",
    "metrics": "metrics",
    "sinks": "sinks",
}


def check(its: Project, modules: Iterable[ModuleType]) -> None:
    """Raises :class:`ProjectError` with every use of a module whose grant the project does not ask for."""
    wrong = []
    for file in sorted({str(getattr(module, "__file__", None)) for module in modules}):
        source = Path(file).read_bytes() if file.endswith(".py") else b""
        if b"tuffet" not in source:
            continue
        for line, module in _used(ast.parse(source)):
            grant = MODULES[module]
            if grant not in its.asked:
                wrong.append(
                    f"{file}:{line}: the plugin uses tuffet.{module}, and pyproject.toml does not ask for the grant "
                    f'{grant}: add {grant} = "REASON" to [tool.tuffet.grants], or to [tool.tuffet.optional]'
                )
    if wrong:
        raise ProjectError("\n".join(wrong))


def _used(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                found = [name.name for name in names]
            case ast.ImportFrom(module=str(module), names=names, level=0):
                found = [module, *(f"{module}.{name.name}" for name in names)]
            case ast.Attribute(value=ast.Name(id="tuffet"), attr=name):
                found = [f"tuffet.{name}"]
            case _:
                continue
        for name in found:
            if name.startswith("tuffet.") and name[7:] in MODULES:
                yield node.lineno, name[7:]
