"""PyTorch definition of ForeachNeg."""

def reference(x):
    """y[i] = -x[i]."""
    return [-tensor for tensor in x]
