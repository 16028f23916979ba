"""The way between the bindings that ``componentize-py`` generates and the classes of this package. Inside of a
component alone."""
