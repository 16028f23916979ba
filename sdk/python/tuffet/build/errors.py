class BuildError(Exception):
    """Why there is no component, and how to mend it."""

    code = 1
    """The exit code, with the meaning that those of ``tuffet`` have."""


class ProjectError(BuildError):
    """The project is none."""

    code = 64


class ToolError(BuildError):
    """``componentize-py`` is missing, or another version of it is there."""

    code = 69
