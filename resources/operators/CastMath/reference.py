"""PyTorch definition of CastMath."""

import torch

DTYPES = {
    0: torch.float32, 1: torch.float16, 2: torch.int8, 3: torch.int32, 4: torch.uint8, 6: torch.int16,
    9: torch.int64, 12: torch.bool, 27: torch.bfloat16,
}


def OUTPUT_DTYPES(dtypes, attributes):
    """The dtype the attribute names."""
    return (str(DTYPES[attributes["dst_type"]]).removeprefix("torch."),)


def reference(x, dst_type):
    """x converted once to the dtype numbered dst_type."""
    return x.to(DTYPES[dst_type])
