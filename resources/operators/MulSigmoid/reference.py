"""PyTorch definition of MulSigmoid."""

import torch


def reference(x1, x2, t1, t2, t3):
    """The sigmoid of t1 * x1, doubled from t2 on, times x2 and t3."""
    sigmoid = torch.sigmoid(x1.reshape(-1, *x2.shape[1:]) * t1)
    return torch.where(sigmoid < t2, sigmoid, 2 * sigmoid) * x2 * t3
