"""Reference."""


def reference(x):
    """First minus second of each pair; whether the first is larger."""
    pairs = x.reshape(-1, 2)
    return pairs[:, 0] - pairs[:, 1], pairs[:, 0] > pairs[:, 1]
