"""What is checked here, because a component fails without a word about it."""


def bits(**numbers: tuple[int | None, int]) -> None:
    """Raises ``ValueError`` for a number that does not fit into this many bits."""
    for name, (value, size) in numbers.items():
        if value is not None and not 0 <= value < 1 << size:
            raise ValueError(f"{name} {value}: a number of {size} bits is wanted")
