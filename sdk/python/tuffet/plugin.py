"""The class that a plugin is."""

from typing import Any

HOOKS = ("authorize", "resolve", "accept_upload", "observe")


class Plugin:
    """The base of a plugin. Of these methods, those that it has are its hooks:

    - ``authorize(self, request: Request) -> Verdict``
    - ``resolve(self, request: Request) -> Resolution``
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


def hooks(plugin: type[Plugin]) -> list[str]:
    """The hooks that a plugin has."""
    return [hook for hook in HOOKS if callable(getattr(plugin, hook, None))]
