"""Who answers a plugin's calls: the server, or in native tests the stand-in of ``tuffet.testing``."""

import sys
from typing import Any

if sys.platform == "wasi":
    from .wasm import host as _answering
else:
    from . import testing as _answering


def host() -> Any:
    return _answering.HOST
