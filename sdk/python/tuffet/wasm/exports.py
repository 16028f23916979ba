"""What a component exports: the lifecycle, and the hooks that its plugin has. ``tuffet.build`` writes the module
that names them."""

import json
import os
import random
import sys
import traceback
from types import TracebackType
from typing import Any, Callable

import wit_world.exports as wit
from componentize_py_types import Err
from wit_world.exports import lifecycle

from ..errors import Failure
from ..labels import take_label
from ..plugin import Plugin
from ..problems import Problem, Problems
from ..requests import Upload
from . import convert, warm  # noqa: F401  (what is imported here is there when the component runs)

_SDK = os.path.dirname(os.path.dirname(__file__)) + "/"
_plugin: type[Plugin] = Plugin
_configured: Any = None


def use(plugin: type[Plugin]) -> None:
    """Makes a class the plugin of this component."""
    global _plugin
    _plugin = plugin
    # Not earlier: that a plugin cannot be imported is shown by the build, in full.
    sys.excepthook = _last_words


def _last_words(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
    """An exception that nobody caught: the server logs the first line of it."""
    sys.stderr.write(_told(kind, error, where) + "\n")
    sys.stderr.flush()
    # What follows would be about the runtime of componentize-py; the instance ends here.
    os.close(2)


def _told(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> str:
    """An exception and its place, on one line."""
    said = traceback.format_exception_only(kind, error)[-1].strip()
    own = [frame for frame in traceback.extract_tb(where) if not frame.filename.startswith(_SDK)]
    place = f" ({os.path.basename(own[-1].filename)}:{own[-1].lineno} in {own[-1].name})" if own else ""
    return f"{said[:300]}{place}"


class Lifecycle:
    def configure(self, settings: str) -> None:
        global _configured
        # The generator was seeded when the component was built.
        random.seed()
        plugin = _plugin()
        try:
            plugin.configure(json.loads(settings))
        except Problem as problem:
            raise Err([lifecycle.Problem(problem.pointer, problem.message)]) from None
        except Problems as found:
            raise Err([lifecycle.Problem(each.pointer, each.message) for each in found.problems]) from None
        _configured = plugin


def _answer(hook: Callable[[], Any]) -> Any:
    """What a hook answers. An exception says that it cannot; the instance goes on. That memory is used up ends it."""
    try:
        return hook()
    except MemoryError:
        raise
    except Failure as failure:
        raise Err(str(failure)) from None
    except Exception as error:
        raise Err(_told(type(error), error, error.__traceback__)) from None


class Authorize:
    def authorize(self, request: Any) -> Any:
        take_label()
        verdict = _answer(lambda: convert.verdict(_configured.authorize(convert.request(request)), wit.authorize))
        return wit.authorize.LabelledVerdict(verdict, take_label())


class Resolve:
    def resolve(self, request: Any) -> Any:
        take_label()
        resolution = _answer(lambda: convert.resolution(_configured.resolve(convert.request(request)), wit.resolve))
        return wit.resolve.LabelledResolution(resolution, take_label())


class Render:
    def render(self, key: str) -> Any:
        return _answer(lambda: convert.rendering(_configured.render(key), wit.render))


class RenderParts:
    def begin(self, key: str) -> Any:
        return _answer(lambda: convert.beginning(_configured.begin(key), wit.render_parts))

    def part(self, key: str, offset: int, length: int) -> Any:
        return _answer(lambda: convert.part(_configured.part(key, offset, length), wit.render_parts))


class AcceptUpload:
    def accept_upload(self, request: Any, upload: Any) -> Any:
        def hook() -> Any:
            answer = _configured.accept_upload(convert.request(request), Upload(**vars(upload)))
            return convert.acceptance(answer, wit.accept_upload)

        return _answer(hook)


class Observe:
    def observe(self, events: Any) -> None:
        from .observed import event

        _configured.observe([event(given) for given in events])
