"""Reference."""


def reference(x, times, shift=None, factor=1.0, steps=(1,)):
    """As the summary says."""
    scale = factor * float(times.reshape(-1)[0])
    for step in steps:
        scale *= step
    y = x * scale
    return y if shift is None else y + shift
