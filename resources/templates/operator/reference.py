"""PyTorch definition of @NAME@.

Floating inputs arrive as float64, lists of tensors as lists, absent optional inputs not at all; the result is
rounded once to the dtype of the interface. Several outputs are returned as a tuple; an operator that works in
place returns the new values. A function `make_inputs(inputs, case, generator)` may amend the inputs where no
`fill` can express their structure.
"""


def reference(x, offset, scale=1.0):
    """Return y = scale * x + offset."""
    return scale * x + offset
