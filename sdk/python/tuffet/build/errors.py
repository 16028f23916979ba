class BuildError(Exception):
    """Why there is no component, and how to mend it."""
