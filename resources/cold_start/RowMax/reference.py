"""PyTorch definition of RowMax."""


def reference(x):
    """The largest element of every row."""
    return x.amax(dim=-1)
