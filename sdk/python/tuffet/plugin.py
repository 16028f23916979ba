"""The class that a plugin is."""

from typing import Any

from .problems import Problems, step

HOOKS = ("authorize", "resolve", "accept_upload", "observe")


class Plugin:
    """The base of a plugin. Of these methods, those that it has are its hooks:

    - ``authorize(self, request: Request) -> Verdict``
    - ``resolve(self, request: Request) -> Resolution``
    - ``accept_upload(self, request: Request, upload: Upload) -> Acceptance``
    - ``observe(self, events: list[Event]) -> None``

    A plugin whose ``resolve`` answers :class:`~tuffet.Rendered` makes the content as a whole, in parts, or both:

    - ``render(self, key: str) -> Rendering | Content | Deny``
    - ``begin(self, key: str) -> Beginning`` with ``part(self, key: str, offset: int, length: int) -> Part``

    The server calls ``render``, or ``begin``, once for all requests with this key, and maybe in another instance: the
    content may depend on the key, the settings and the grants alone. A denial answers all requests that wait for the
    content; the server does not keep it.

    A hook always answers: one that returns ``None`` has failed, so that a forgotten ``return`` lets nobody in. One that raises
    an exception, such as :class:`~tuffet.Failure`, has failed, too: ``on-error`` of the configuration decides, and the server
    logs the message.
    """

    def configure(self, settings: dict[str, Any]) -> None:
        """Takes the plugin's block of the configuration, once for each instance, before any hook. Raises
        :class:`~tuffet.Problem` or :class:`~tuffet.Problems` for what is wrong with it. A plugin that does
        not have this method has no settings."""
        problems = Problems()
        for key in settings:
            problems.add(step("", key), "this plugin has no settings")
        problems.check()


def exports(plugin: type[Plugin]) -> list[str]:
    """What a component with this plugin exports besides ``lifecycle``, in Python's names. Raises ``TypeError`` for a
    plugin without a hook, or with only a part of what a rendering needs."""

    def missing(*names: str) -> list[str]:
        return [name for name in names if not callable(getattr(plugin, name, None))]

    lacks = missing(*HOOKS)
    if len(lacks) == len(HOOKS):
        raise TypeError(f"{plugin.__name__} has no hook: it needs one of the methods {', '.join(HOOKS)}")
    found = [hook for hook in HOOKS if hook not in lacks]
    for interface, methods in (("render", ("render",)), ("render_parts", ("begin", "part"))):
        needed = ("resolve", *methods)
        lacks = missing(*needed)
        if len([name for name in lacks if name in methods]) == len(methods):
            continue
        if lacks:
            has = next(name for name in methods if name not in lacks)
            raise TypeError(
                f"{plugin.__name__} has the method {has}, and no {' and no '.join(lacks)}: {' and '.join(needed)} "
                f"belong together; a method of another purpose needs another name"
            )
        found.append(interface)
    return found
