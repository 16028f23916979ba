"""``python3 -m tuffet.build PROJECT -o plugin.wasm``: from a Python project to a component.

The project is a folder with a ``pyproject.toml``, of which this reads ``[project]`` (name, version, description)
and ``[tool.tuffet]``.
"""

from .command import main
from .component import build
from .errors import BuildError

__all__ = ["BuildError", "build", "main"]
