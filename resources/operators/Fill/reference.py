"""PyTorch definition of Fill."""


def reference(dims, value):
    """value, repeated in the shape dims."""
    return value.reshape(()).repeat(tuple(dims.tolist()))
