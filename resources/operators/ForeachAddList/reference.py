"""PyTorch definition of ForeachAddList."""

def reference(x1, x2, alpha):
    """y[i] = x1[i] + alpha * x2[i]."""
    return [left + alpha[0] * right for left, right in zip(x1, x2, strict=True)]
