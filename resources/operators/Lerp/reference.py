"""PyTorch definition of Lerp."""


def reference(start, end, weight):
    """y = start + weight * (end - start); written out because torch.lerp switches formula at weight 0.5."""
    return start + weight * (end - start)
