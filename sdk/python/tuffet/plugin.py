"""The class that a plugin is."""

from typing import Any

from .answers import Content, Deny, Rendering
from .requests import ErrorCode

HOOKS = ("authorize", "resolve", "accept_upload", "observe")
PARTS = ("begin", "part")


class Plugin:
    """The base of a plugin. Of these methods, those that it has are its hooks:

    - ``authorize(self, request: Request) -> Verdict``
    - ``resolve(self, request: Request) -> Resolution``, with ``render(self, key: str) -> Rendering | Content | Deny`` if
      it answers :class:`~tuffet.Rendered`, and for content in parts ``begin(self, key: str) -> Beginning`` and
      ``part(self, key: str, offset: int, length: int) -> Part``
    - ``accept_upload(self, request: Request, upload: Upload) -> Acceptance``
    - ``observe(self, events: list[Event]) -> None``

    A hook always answers: one that returns ``None`` has failed, so that a forgotten ``return`` lets nobody in.
    """

    def configure(self, settings: dict[str, Any]) -> None:
        """Takes the plugin's block of the configuration, once for each instance, before any hook. Raises
        :class:`~tuffet.Problem` or :class:`~tuffet.Problems` for what is wrong with it. A plugin that does
        not have this method has no settings."""
        from .problems import Problems, step

        problems = Problems()
        for key in settings:
            problems.add(step("", key), "this plugin has no settings")
        problems.check()

    def render(self, key: str) -> Rendering | Content | Deny:
        """Makes the content for a key that ``resolve`` answered with, as :class:`~tuffet.Rendered`: once for all requests
        with this key, and maybe in another instance. It may depend on the key, the settings and the grants alone. A
        denial answers all requests that wait for the content; the server does not keep it."""
        return Deny("there is no such content", f"the plugin renders nothing for the key {key!r}", ErrorCode.NOT_DEFINED)


def hooks(plugin: type[Plugin]) -> list[str]:
    """The hooks that a plugin has."""
    return _methods(plugin, HOOKS)


def in_parts(plugin: type[Plugin]) -> bool:
    """Whether a plugin makes content in parts. Raises ``TypeError`` if it has only a part of what that needs."""
    found = _methods(plugin, PARTS)
    if not found:
        return False
    missing = [method for method in ("resolve", *PARTS) if method not in (*found, *hooks(plugin))]
    if missing:
        raise TypeError(
            f"{plugin.__name__} has the method {found[0]}, and no {' and no '.join(missing)}: content in parts needs "
            f"resolve, begin and part; another method needs another name"
        )
    return True


def _methods(plugin: type[Plugin], names: tuple[str, ...]) -> list[str]:
    return [name for name in names if callable(getattr(plugin, name, None))]
