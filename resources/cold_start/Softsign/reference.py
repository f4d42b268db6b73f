"""PyTorch definition of Softsign."""

from torch.nn.functional import softsign


def reference(x):
    """Return x / (1 + |x|)."""
    return softsign(x)
