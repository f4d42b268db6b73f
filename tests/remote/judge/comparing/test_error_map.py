"""The picture of where an output is wrong: right place, bounded size."""

from __future__ import annotations

import torch

from remote.judge.comparing.error_map import error_map
from remote.judge.comparing.error_statistics import compare


def _cells(wrong: torch.Tensor) -> tuple[list[list[int]], bool]:
    drawn = error_map(wrong.flatten(), tuple(wrong.shape))
    flat = bytes.fromhex(drawn.cells)
    return [
        list(flat[row * drawn.columns : (row + 1) * drawn.columns])
        for row in range(drawn.rows)
    ], drawn.flat


def test_a_small_matrix_has_one_cell_an_element() -> None:
    wrong = torch.zeros(3, 5, dtype=torch.bool)
    wrong[1, 4] = True
    cells, flat = _cells(wrong)
    assert not flat
    assert cells == [[0] * 5, [0, 0, 0, 0, 255], [0] * 5]


def test_leading_dimensions_are_rows_and_wrong_columns_stay_columns() -> None:
    wrong = torch.zeros(4, 100, 1000, dtype=torch.bool)
    wrong[..., 990:] = True
    cells, _flat = _cells(wrong)
    assert len(cells) == 64
    assert {len(line) for line in cells} == {64}
    assert all(not any(line[:63]) and line[63] > 0 for line in cells)


def test_a_single_wrong_element_is_seen_however_large_the_output() -> None:
    wrong = torch.zeros(3_000_000, dtype=torch.bool)
    wrong[2_999_999] = True
    cells, flat = _cells(wrong)
    assert flat
    assert cells[63][63] == 1
    assert sum(map(sum, cells)) == 1


def test_a_vector_is_cut_into_lines() -> None:
    wrong = torch.zeros(130, dtype=torch.bool)
    wrong[64:128] = True
    cells, flat = _cells(wrong)
    assert flat
    assert [sum(line) for line in cells] == [0, 64 * 255, 0]


def test_only_wrong_outputs_have_a_picture() -> None:
    right = torch.rand(8, 8)
    assert compare("y", right, right.clone()).errors.map is None
    other = right.clone()
    other[0, 0] += 1
    drawn = compare("y", right, other).errors.map
    assert drawn is not None
    assert (drawn.shape, drawn.rows, drawn.columns) == ((8, 8), 8, 8)


def test_wrong_elements_are_told_exactly_and_with_values_within_bounds() -> None:
    right = torch.arange(64, dtype=torch.float32).reshape(8, 8)
    other = right.clone()
    other[2, 6:] = float("nan")
    other[3, 0] += 0.5  # one run with the two before
    other[7, 7] = 1 / 3
    drawn = compare("y", right, other).errors.map
    assert drawn is not None
    assert drawn.complete
    assert drawn.runs == (22, 3, 63, 1)
    told = [(entry.index, entry.expected, entry.actual) for entry in drawn.elements]
    assert told == [
        (22, "22", "nan"),
        (23, "23", "nan"),
        (24, "24", "24.5"),
        (63, "63", "0.333333343"),
    ]


def test_what_is_told_of_a_large_wrong_output_stays_small() -> None:
    right = torch.zeros(100_000, dtype=torch.int64)
    other = right.clone()
    other[::2] = 2**60 + 1
    drawn = compare("y", right, other).errors.map
    assert drawn is not None
    assert not drawn.complete
    assert (len(drawn.runs), len(drawn.elements)) == (1024, 128)
    assert drawn.elements[0].actual == str(2**60 + 1)
    assert [entry.index for entry in drawn.elements[:3]] == [0, 2, 4]
    assert drawn.elements[-1].index > 98_000
