"""PyTorch definition of ForeachSubScalar."""

def reference(x, scalar):
    """y[i] = x[i] - scalar."""
    return [tensor - scalar[0] for tensor in x]
