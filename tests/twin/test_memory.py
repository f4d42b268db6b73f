"""Data movement, reductions, gathering, sorting and transposing against PyTorch."""

from __future__ import annotations

import pytest
import torch

from tests.twin.harness import Library, build

TYPES = {
    "half": torch.float16,
    "float": torch.float32,
    "int32_t": torch.int32,
    "int8_t": torch.int8,
}


@pytest.fixture(scope="module")
def library() -> Library:
    return build("memory")


def sample(kind: str, count: int, seed: int = 1) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    dtype = TYPES[kind]
    if dtype.is_floating_point:
        return torch.randn(count, generator=generator).to(dtype)
    return torch.randint(
        -100, 100, (count,), generator=generator, dtype=torch.int32
    ).to(dtype)


@pytest.mark.parametrize("kind", ["float", "half", "int8_t"])
def test_padded_copy_in(library: Library, kind: str) -> None:
    """Three rows of five elements, two apart in global memory, one padded left and two right."""
    a = sample(kind, 64)
    size = a.element_size()
    per_block = 32 // size
    width = -(-8 // per_block) * per_block
    out = torch.zeros(3 * width + 2 * per_block, dtype=a.dtype)
    report = library.run(
        f"pad_in/{kind}", [a], [out], [3, 5 * size, 2 * size, 1, 1, 2, 7]
    )
    assert report.rules("error") == []
    for row in range(3):
        start = row * (width + per_block)
        expected = torch.full((width,), 7, dtype=a.dtype)
        expected[1:6] = a[row * 7 : row * 7 + 5]
        assert torch.equal(out[start : start + width], expected)


@pytest.mark.parametrize("kind", ["float", "half", "int8_t"])
def test_a_copy_without_padding_ends_its_last_block_with_the_first_element(
    library: Library, kind: str
) -> None:
    """DataCopyPad (GM to UB): with no padding on either side the dummy data repeats the first element."""
    a = sample(kind, 64)
    size = a.element_size()
    per_block = 32 // size
    out = torch.zeros(2 * per_block, dtype=a.dtype)
    report = library.run(f"pad_in/{kind}", [a], [out], [2, 5 * size, 0, 0, 0, 0, 7])
    assert report.rules("error") == []
    for row in range(2):
        expected = a[row * 5].repeat(per_block)
        expected[:5] = a[row * 5 : row * 5 + 5]
        assert torch.equal(out[row * per_block : (row + 1) * per_block], expected)


@pytest.mark.parametrize("kind", ["float", "half"])
def test_padded_copy_out(library: Library, kind: str) -> None:
    a = sample(kind, 128)
    size = a.element_size()
    per_block = 32 // size
    out = torch.full((40,), 9, dtype=a.dtype)
    report = library.run(f"pad_out/{kind}", [a], [out], [3, 5 * size, 1, 2 * size])
    assert report.findings == []
    expected = torch.full((40,), 9, dtype=a.dtype)
    for row in range(3):
        expected[row * 7 : row * 7 + 5] = a[
            row * 2 * per_block : row * 2 * per_block + 5
        ]
    assert torch.equal(out, expected)


def test_strided_copy_counts_blocks(library: Library) -> None:
    a = sample("float", 256)
    out = torch.zeros(256)
    assert library.run("strided_copy", [a], [out], [4, 2, 1, 3]).findings == []
    expected = torch.zeros(256)
    for block in range(4):
        expected[block * 40 : block * 40 + 16] = a[block * 24 : block * 24 + 16]
    assert torch.equal(out, expected)


def test_copies_inside_ub(library: Library) -> None:
    a = sample("float", 192)
    out = torch.zeros(256)
    library.run("inner_copy", [a], [out])
    assert torch.equal(out[:128], a[:64].repeat(2))
    assert torch.equal(out[128:144], torch.cat([a[8:16], a[24:32]]))


@pytest.mark.parametrize(
    ("case", "kind", "blocks"),
    [
        ("atomic_add", "float", 3),
        ("atomic_add", "half", 2),
        ("atomic_add", "int32_t", 4),
        ("atomic_max", "float", 2),
        ("atomic_min", "int32_t", 2),
    ],
)
def test_atomic_copies(library: Library, case: str, kind: str, blocks: int) -> None:
    a, old = sample(kind, 50), sample(kind, 50, 2)
    out = old.clone()
    assert library.run(f"{case}/{kind}", [a], [out], block_dim=blocks).findings == []
    expected = old
    for _ in range(blocks):
        if case == "atomic_add":
            expected = expected + a
        else:
            expected = (
                torch.maximum(expected, a)
                if case == "atomic_max"
                else torch.minimum(expected, a)
            )
    assert torch.equal(out, expected)


@pytest.mark.parametrize("count", [1, 63, 1000])
@pytest.mark.parametrize("kind", ["half", "float"])
def test_whole_tensor_reductions(library: Library, kind: str, count: int) -> None:
    a = sample(kind, count)
    total = torch.zeros(32, dtype=a.dtype)
    run = library.run(f"reduce_sum/{kind}", [a], [total])
    assert run.rules() == ["vector-count"]  # of the one that has nothing to add
    assert not total[1:].any()
    tolerance = 2e-2 if kind == "half" else 1e-5
    torch.testing.assert_close(
        total[0].double(), a.double().sum(), rtol=tolerance, atol=tolerance * 4
    )
    best = torch.zeros(8, dtype=a.dtype)
    assert library.run(f"reduce_extremes/{kind}", [a], [best]).findings == []
    indices = best.view(torch.int16 if kind == "half" else torch.int32)
    assert best[0] == a.max()
    assert int(indices[1]) == int(a.argmax())
    assert best[2] == a.min()
    assert int(indices[3]) == int(a.argmin())


def in_pairs(values: torch.Tensor) -> torch.Tensor:
    """Sums along the last axis as the vector unit makes them, neighbours first."""
    while values.shape[-1] > 1:
        values = values[..., 0::2] + values[..., 1::2]
    return values[..., 0]


@pytest.mark.parametrize("repeats", [0, 128])
def test_the_order_of_a_sum_is_the_documented_one(
    library: Library, repeats: int
) -> None:
    a = sample("float", 128 * 64) * 1000
    total = torch.zeros(32)
    library.run("reduce_sum/float", [a], [total], [repeats] if repeats else [])
    sums = in_pairs(a.view(128, 64))
    wanted = in_pairs(sums) if repeats else torch.zeros(())
    for value in () if repeats else sums:
        wanted = wanted + value
    assert total[0] == wanted
    assert in_pairs(sums) != sums.cumsum(0)[-1], "the two orders give the same sum here"


@pytest.mark.parametrize("kind", ["half", "float"])
def test_reductions_of_repeats(library: Library, kind: str) -> None:
    lanes = 128 if kind == "half" else 64
    per_block = lanes // 8
    a = (
        torch.randint(-8, 9, (3 * lanes,), generator=torch.Generator().manual_seed(5))
        / 4
    ).to(TYPES[kind])
    rows = a.view(3, lanes)

    def reduce(which: int, mask: int, results: int) -> torch.Tensor:
        out = torch.zeros(results, dtype=a.dtype)
        assert (
            library.run(f"repeat_reduce/{kind}", [a], [out], [which, mask, 3]).rules(
                "error"
            )
            == []
        )
        return out

    mask = lanes - 3
    assert torch.equal(reduce(0, mask, 3), rows[:, :mask].sum(1))
    assert torch.equal(reduce(6, mask, 3), rows[:, :mask].sum(1))
    assert torch.equal(reduce(1, mask, 3), rows[:, :mask].amax(1))
    pairs = reduce(2, lanes, 6)
    assert torch.equal(pairs[::2], rows.amin(1))
    index = pairs.view(torch.int16 if kind == "half" else torch.int32)[1::2]
    assert torch.equal(rows.gather(1, index.long()[:, None])[:, 0], rows.amin(1))
    assert torch.equal(reduce(3, lanes, 24), a.view(24, per_block).sum(1))
    assert torch.equal(reduce(4, lanes, 24), a.view(24, per_block).amax(1))
    assert torch.equal(reduce(5, lanes, 3 * lanes // 2), a.view(-1, 2).sum(1))


@pytest.mark.parametrize("kind", ["half", "float", "int32_t"])
def test_gather_by_byte_offset(library: Library, kind: str) -> None:
    a = sample(kind, 300)
    index = torch.randint(0, 300, (150,), generator=torch.Generator().manual_seed(6))
    out = torch.zeros(150, dtype=a.dtype)
    offsets = (index * a.element_size()).to(torch.int32)
    assert library.run(f"gather/{kind}", [a, offsets], [out]).findings == []
    assert torch.equal(out, a[index])


@pytest.mark.parametrize("kind", ["half", "float"])
@pytest.mark.parametrize("pattern", range(1, 8))
def test_gather_mask_patterns(library: Library, kind: str, pattern: int) -> None:
    a = sample(kind, 100)
    index = torch.arange(100)
    keep = {1: index % 2 == 0, 2: index % 2 == 1, 7: index >= 0}.get(
        pattern, index % 4 == pattern - 3
    )
    out, count = torch.zeros(100, dtype=a.dtype), torch.zeros(8, dtype=torch.int32)
    library.run(f"gather_pattern/{kind}", [a], [out, count], [pattern])
    assert int(count[0]) == int(keep.sum())
    assert torch.equal(out[: int(count[0])], a[keep])


def test_gather_mask_by_bits(library: Library) -> None:
    a = sample("float", 128)
    keep = torch.rand(128, generator=torch.Generator().manual_seed(7)) < 0.4
    bits = (
        (keep.view(-1, 32).long() * 2 ** torch.arange(32))
        .sum(1)
        .to(torch.uint32)
        .view(torch.int32)
    )
    out = torch.zeros(128)
    library.run("gather_bits", [a, bits], [out])
    assert torch.equal(out[: int(keep.sum())], a[keep])


def test_sorting_is_descending_with_indices(library: Library) -> None:
    a = torch.randn(128, generator=torch.Generator().manual_seed(8))
    values, index = torch.zeros(128), torch.zeros(128, dtype=torch.int32)
    assert library.run("sort_all", [a], [values, index]).findings == []
    expected, order = torch.sort(a, descending=True, stable=True)
    assert torch.equal(values, expected)
    assert torch.equal(index.long(), order)


def test_transposes(library: Library) -> None:
    a = sample("half", 256)
    out = torch.zeros_like(a)
    assert library.run("transpose", [a], [out]).findings == []
    assert torch.equal(out.view(16, 16), a.view(16, 16).T)
    assert library.run("to_5hd/half", [a], [out]).findings == []
    assert torch.equal(out.view(16, 16), a.view(16, 16).T)
    b, wide = sample("float", 128), torch.zeros(128)
    assert library.run("to_5hd/float", [b], [wide]).findings == []
    assert torch.equal(wide.view(8, 16), b.view(16, 8).T)


def test_filling_global_memory(library: Library) -> None:
    out = torch.zeros(20000)
    assert library.run("global_fill", [], [out]).findings == []
    assert bool((out == 2.5).all())


def test_scalar_access(library: Library) -> None:
    a = torch.arange(16).float()
    out = torch.zeros(2)
    assert library.run("scalar_access", [a], [out]).findings == []
    assert out.tolist() == [240.0, 64.0]
