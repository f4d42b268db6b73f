"""Instructions that compute and convert at once, logic along axes, layouts and TransData, against numpy."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.twin.harness import Library, build


@pytest.fixture(scope="module")
def library() -> Library:
    return build("composites")


def composite(
    library: Library, case: str, a: torch.Tensor, b: torch.Tensor, out: torch.dtype
) -> tuple[np.ndarray, np.ndarray]:
    """What 200 elements give, and two repeats of a block with five lanes."""
    counted, masked = torch.zeros(200, dtype=out), torch.zeros(256, dtype=out)
    report = library.run(case, [a, b], [counted, masked], [0.25])
    assert report.rules("error") == report.rules("hazard") == []
    assert report.modelled_us > report.launch_us
    return counted.numpy(), masked.numpy()


def saturated(values: np.ndarray, kind: type[np.integer]) -> np.ndarray:
    limits = np.iinfo(kind)
    return np.clip(np.rint(values), limits.min, limits.max).astype(kind)


COMPOSITES = {
    "MulCast_int8_t_half": (
        "half",
        torch.int8,
        lambda a, b: saturated((a * b).astype(np.float16), np.int8),
    ),
    "MulCast_uint8_t_half": (
        "half",
        torch.uint8,
        lambda a, b: saturated((a * b).astype(np.float16), np.uint8),
    ),
    "AddReluCast_int8_t_half": (
        "half",
        torch.int8,
        lambda a, b: saturated(np.maximum(a + b, 0), np.int8),
    ),
    "AddReluCast_half_float": (
        "float",
        torch.float16,
        lambda a, b: np.maximum(a + b, 0).astype(np.float16),
    ),
    "SubReluCast_half_float": (
        "float",
        torch.float16,
        lambda a, b: np.maximum(a - b, 0).astype(np.float16),
    ),
    "AddReluCast_int8_t_int16_t": (
        "short",
        torch.int8,
        lambda a, b: saturated(np.maximum(a + b, 0), np.int8),
    ),
    "SubReluCast_int8_t_int16_t": (
        "short",
        torch.int8,
        lambda a, b: saturated(np.maximum(a - b, 0), np.int8),
    ),
    "AddDeqRelu_half_int32_t": (
        "int",
        torch.float16,
        lambda a, b: np.maximum((a + b) * np.float32(0.25), 0).astype(np.float16),
    ),
}


@pytest.mark.parametrize("case", list(COMPOSITES))
def test_two_sources_computed_and_converted_at_once(
    library: Library, case: str
) -> None:
    """CANN, "MulCast", "AddReluCast", "SubReluCast", "AddDeqRelu": tables of Atlas A2."""
    kind, out, expected = COMPOSITES[case]
    generator = torch.Generator().manual_seed(10)
    dtype = {
        "half": torch.float16,
        "float": torch.float32,
        "short": torch.int16,
        "int": torch.int32,
    }[kind]
    a, b = ((torch.randn(256, generator=generator) * 15).to(dtype) for _ in range(2))
    counted, masked = composite(library, case, a, b, out)
    right = expected(a.numpy(), b.numpy())
    assert np.array_equal(counted, right[:200])
    lanes = 32 // a.element_size(), 32 // out.itemsize
    for repeat in range(2):
        written = masked[repeat * lanes[1] : repeat * lanes[1] + 5]
        source = right[repeat * lanes[0] : repeat * lanes[0] + 5]
        assert np.array_equal(written, source)


@pytest.mark.parametrize("dtype", [torch.float32, torch.uint8])
def test_logic_along_rows_and_columns(library: Library, dtype: torch.dtype) -> None:
    """CANN, "ReduceAll" and "ReduceAny"."""
    padded = 32 // dtype.itemsize
    bits, out = torch.zeros(3, padded, dtype=dtype), torch.zeros(128, dtype=dtype)
    bits[:, :5] = torch.tensor([[1, 1, 1, 1, 1], [0, 0, 0, 0, 0], [1, 0, 1, 1, 0]])
    name = {torch.float32: "float", torch.uint8: "uint8_t"}[dtype]
    assert library.run(f"logic {name}", [bits], [out]).findings == []
    used = bits[:, :5].numpy().astype(bool)
    assert np.array_equal(out[:3].numpy(), used.all(1))
    assert np.array_equal(out[32:35].numpy(), used.any(1))
    assert np.array_equal(out[64:69].numpy(), used.all(0))
    assert np.array_equal(out[96:101].numpy(), used.any(0))


def test_five_axes_to_fractals_and_back(library: Library) -> None:
    """CANN, "TransData": the four conversions; planes of NCDHW are padded to 32 bytes."""
    x = np.random.default_rng(11).random((2, 20, 3, 16)).astype(np.float16)
    fractals, weights = np.zeros((2, 3, 2, 6, 16)), np.zeros((3, 2, 6, 16, 16))
    outputs = [
        torch.zeros(2 * 3 * 2 * 6 * 16, dtype=torch.float16),
        torch.zeros(3 * 2 * 6 * 16 * 16, dtype=torch.float16),
        torch.zeros(x.size, dtype=torch.float16),
        torch.zeros(x.size, dtype=torch.float16),
    ]
    report = library.run("trans_data", [torch.from_numpy(x)], outputs)
    assert report.rules("error") == report.rules("hazard") == []
    for channel in range(20):
        block, inner = divmod(channel, 16)
        for depth in range(3):
            plane = x[:, channel, depth, :6]
            fractals[:, depth, block, :, inner] = plane
            weights[depth, block, :, :2, inner] = plane.T
    assert np.array_equal(outputs[0].numpy(), fractals.ravel())
    assert np.array_equal(outputs[1].numpy(), weights.ravel())
    for back in outputs[2:]:
        assert np.array_equal(back.numpy().reshape(x.shape)[..., :6], x[..., :6])


def test_layouts_name_elements(library: Library) -> None:
    """CANN, "Crd2Idx": the example with axes of axes gives 129."""
    out = torch.zeros(8, dtype=torch.int32)
    assert library.run("places", [], [out], [1]).findings == []
    assert out[:5].tolist() == [129, 1, 32, 1, -1]


def test_the_control_register_saturates_nothing_here(library: Library) -> None:
    """CANN, "SetCtrlSpr", table of Atlas A2: bit 48 alone."""
    out = torch.zeros(8, dtype=torch.int32)
    stopped = library.run("places", [], [out], [0]).finding("vector-limit")
    assert "not simulated by the CPU twin" in stopped["message"]


def test_a_merge_tells_how_much_of_its_lists_it_used(library: Library) -> None:
    """CANN, "GetMrgSortResult": with ifExhaustedSuspension it ends with the first list that ends."""
    pairs = torch.tensor(
        [[9.0, 0], [8, 1], [7, 2], [6, 3], [5, 4], [8.5, 5], [2, 6], [1, 7]]
    )
    pairs = pairs[[0, 1, 2, 3, 5, 4, 6, 7]]
    counts = torch.zeros(8, dtype=torch.int32)
    report = library.run("merged_counts", [pairs], [counts])
    assert report.rules("error") == []
    assert counts[:4].tolist() == [4, 1, 0, 0]
