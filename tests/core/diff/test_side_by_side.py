"""The comparison of two kernels: alignment, marks, folding."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from core.diff.lines import blocks
from core.diff.moved_lines import Move
from core.diff.side_by_side import (
    Fold,
    RowKind,
    Span,
    compare,
    folded,
    inline_rows,
    moves,
    word_marks,
)
from sage_desktop.ui.diff.cpp_names import functions

LINES = st.lists(
    st.sampled_from(["a", "b", "x = 1;", "x = 2;", "  x = 1;", "}", ""]), max_size=30
)


@given(LINES, LINES, st.booleans())
@settings(max_examples=200, deadline=None)
def test_every_line_of_both_sides_appears_once_and_in_order(
    left: list[str], right: list[str], loose: bool
) -> None:
    for comparison in (
        compare(left, right, ignore_space=loose),
        inline_rows(compare(left, right)),
    ):
        assert [row.left for row in comparison.rows if row.left is not None] == list(
            range(len(left))
        )
        assert [row.right for row in comparison.rows if row.right is not None] == list(
            range(len(right))
        )
        for row in comparison.rows:
            if row.kind is RowKind.EQUAL and not loose:
                assert left[row.left] == right[row.right]
        changed = [
            i for i, row in enumerate(comparison.rows) if row.kind is not RowKind.EQUAL
        ]
        assert changed == [
            i for start, end in comparison.changes for i in range(start, end)
        ]


def test_an_inserted_line_gets_a_filler_opposite() -> None:
    comparison = compare(["a", "b"], ["a", "new", "b"])
    assert [(row.kind, row.left, row.right) for row in comparison.rows] == [
        (RowKind.EQUAL, 0, 0),
        (RowKind.ADDED, None, 1),
        (RowKind.EQUAL, 1, 2),
    ]
    assert (comparison.added, comparison.removed) == (1, 0)


def test_a_changed_line_stands_beside_its_partner_when_a_block_grows() -> None:
    old = ["start();", "DataCopy(xLocal, xGm[offset], this->tileLength);", "end();"]
    new = [
        "start();",
        "DataCopyPadExtParams<float> pad{false, 0, 0, 0.0f};",
        "DataCopyPad(xLocal, xGm[offset], copyParams, pad);",
        "end();",
    ]
    rows = compare(old, new).rows
    assert [(row.left, row.right) for row in rows] == [
        (0, 0),
        (None, 1),
        (1, 2),
        (2, 3),
    ]


def test_marks_name_the_words_that_differ() -> None:
    old_marks, new_marks = word_marks(
        "pipe.InitBuffer(inQueueX, 1, 8192);", "pipe.InitBuffer(inQueueX, 2, 8192);"
    )
    assert old_marks == (Span(26, 27),)
    assert new_marks == (Span(26, 27),)


def test_lines_without_likeness_are_not_marked_word_by_word() -> None:
    assert word_marks(
        "return ge::GRAPH_SUCCESS;", "auto xLocal = inQueueX.DeQue<half>();"
    ) == ((), ())


def test_an_unrolled_shifted_kernel_keeps_its_equal_lines() -> None:
    block = [f"Muls(yLocal[{i}], xLocal[{i}], scale, 64);" for i in range(400)]
    old = block * 5
    new = block[7:] + block * 4
    started = time.thread_time()
    comparison = compare(old, new)
    assert time.thread_time() - started < 2.0
    assert sum(row.kind is RowKind.EQUAL for row in comparison.rows) >= 1800


def test_white_space_is_ignored_on_request_only() -> None:
    old, new = ["  int a = 1;"], ["\tint a=1;"]
    assert compare(old, new).changes
    assert not compare(old, new, ignore_space=True).changes


def test_folding_keeps_context_and_opens_on_request() -> None:
    old = [f"line {i}" for i in range(60)]
    new = [*old[:30], "changed", *old[31:]]
    comparison = compare(old, new)
    shown = folded(comparison, context=3)
    assert shown[0] == Fold(0, 27)
    assert shown[1:8] == (27, 28, 29, 30, 31, 32, 33)
    assert shown[-1] == Fold(34, 60)
    opened = folded(comparison, context=3, opened=frozenset({0}))
    assert opened[:27] == tuple(range(27))


def test_equal_files_fold_into_one_line_and_an_empty_file_is_all_filler() -> None:
    same = compare(["a"] * 20, ["a"] * 20)
    assert folded(same) == (Fold(0, 20),)
    added = compare([], ["a", "b"])
    assert [row.kind for row in added.rows] == [RowKind.ADDED, RowKind.ADDED]


def test_one_column_shows_removed_before_added() -> None:
    comparison = inline_rows(
        compare(["a", "x = 1;", "y = 1;", "b"], ["a", "x = 2;", "y = 2;", "b"])
    )
    assert [row.kind for row in comparison.rows] == [
        RowKind.EQUAL,
        RowKind.REMOVED,
        RowKind.REMOVED,
        RowKind.ADDED,
        RowKind.ADDED,
        RowKind.EQUAL,
    ]


def test_lines_with_messages_are_never_folded_away() -> None:
    comparison = compare(
        [f"line {i}" for i in range(60)], ["new", *[f"line {i}" for i in range(60)]]
    )
    shown = folded(comparison, context=2, keep=frozenset({30}))
    assert [entry for entry in shown if isinstance(entry, Fold)] == [
        Fold(3, 28),
        Fold(33, 61),
    ]


def test_moved_runs_are_recognised_whatever_their_indentation_and_brackets_alone_are_none() -> (
    None
):
    run = ["DataCopy(x, y, tile);", "", "Add(z, x, y, tile);", "outQueue.EnQue(z);"]
    old = ["a", *run, "b", "c", "}", "}", "}", "d", "e"]
    deeper = [f"    {line}" if line else "" for line in run]
    new = ["a", "b", "}", "}", "}", "c", "d", *deeper, "e"]
    found = moves(compare(old, new), old, new)
    assert found == (Move(1, 7, 4),)
    twice = [*new, "f", *deeper]
    assert len(moves(compare(old, twice), old, twice)) == 1, (
        "what stood once was moved once"
    )


def test_moves_of_long_files_are_found_quickly() -> None:
    old = [f"Mul(a{n % 7}, b{n % 5}, tile);" for n in range(2000)]
    new = list(reversed(old))
    comparison = compare(old, new)
    begin = time.thread_time()
    moves(comparison, old, new)
    assert time.thread_time() - begin < 0.5


def test_the_function_around_a_line_is_told_by_its_brackets() -> None:
    text = """\
class Kernel {
public:
    __aicore__ inline void Init(GM_ADDR x,
                                GM_ADDR y)
    {
        if (total > 0) {
            Fill(x);  // } not a bracket
        }
        const char *text = "{";
    }
    int size;
};
extern "C" __global__ __aicore__ void abs_math(GM_ADDR x) {
    for (int i = 0; i < 8; ++i) {
        Call(i);
    }
}
"""
    around = functions(text.split("\n"))
    assert around[5:9] == [2, 2, 2, 2]
    assert around[2] is None
    assert around[10] is None
    assert around[13:16] == [12, 12, 12]
    assert around[17] is None


def test_versions_of_few_different_lines_are_compared_before_one_grows_old() -> None:
    """Nine thousand of them would take difflib days without its guess."""
    old = [";"] * 9000
    new = [line for number in range(9000) for line in (";", f"x{number};")]
    whole = blocks(old, new)
    assert (whole[0].old_start, whole[0].new_start) == (0, 0)
    assert (whole[-1].old_end, whole[-1].new_end) == (len(old), len(new))
    assert all(
        old[block.old_start : block.old_end] == new[block.new_start : block.new_end]
        for block in whole
        if block.equal
    )
