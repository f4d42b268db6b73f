"""PyTorch definition of ForeachAbs."""

def reference(x):
    """y[i] = |x[i]|."""
    return [tensor.abs() for tensor in x]
