"""PyTorch definition of ForeachMulList."""

def reference(x1, x2):
    """y[i] = x1[i] * x2[i]."""
    return [left * right for left, right in zip(x1, x2, strict=True)]
