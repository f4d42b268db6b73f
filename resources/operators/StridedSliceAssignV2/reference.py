"""PyTorch definition of StridedSliceAssignV2."""


def reference(var, input_value, begin, end, strides, axes=None):
    """New value of var."""
    dimensions = range(len(begin)) if axes is None else axes.tolist()
    index = [slice(None)] * var.dim()
    for place, dimension in enumerate(dimensions):
        index[dimension] = slice(int(begin[place]), int(end[place]), int(strides[place]))
    result = var.clone()
    result[tuple(index)] = input_value
    return result
