"""PyTorch definition of Addcdiv."""


def reference(input_data, x1, x2, value):
    """y = input_data + value * (x1 / x2)."""
    return input_data + x1 / x2 * value
