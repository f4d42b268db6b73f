"""Adopted means: this edit came from it. A record names the lines, and they changed or show the lesson."""

from __future__ import annotations

import asyncio

import pytest

from core.agent.learning.adoption_place import (
    NO_PLACE,
    NOT_THERE,
    Place,
    named_places,
    shown_at,
    unfounded,
)
from core.memory.records import CodeDiff
from core.models.port import ModelRequest, Purpose
from core.workspace import Workspace
from tests.core.agent.scripted import Model, files, reply_text
from tests.scenario import PlayedOperator

PATH = "op_kernel/scale.cpp"
STEPS = [f"Step{number}(tile, {number});" for number in range(60)]
CODE = CodeDiff("Div(y, x, z, n);", "Muls(y, x, reciprocal, n);")
BEFORE = {PATH: "\n".join(STEPS)}
AFTER = {PATH: "\n".join([*STEPS[:40], "Muls(y, x, reciprocal, n);", *STEPS[41:]])}


@pytest.mark.parametrize(
    ("rationale", "places"),
    [
        ("op_kernel/a.cpp:40-52: fewer passes", [("op_kernel/a.cpp", 40, 52)]),
        ("`op_kernel/a.cpp`: 7, the copy", [("op_kernel/a.cpp", 7, 7)]),
        ("kept op_host/a_tiling.h lines 3 to 9", [("op_host/a_tiling.h", 3, 9)]),
        (
            "op_kernel/a.cpp:248-274 and 204: sums of rows",
            [("op_kernel/a.cpp", 248, 274), ("op_kernel/a.cpp", 204, 204)],
        ),
        (
            "op_kernel/a.cpp:4-8, 12, and 20-22 (the tail)",
            [
                ("op_kernel/a.cpp", 4, 8),
                ("op_kernel/a.cpp", 12, 12),
                ("op_kernel/a.cpp", 20, 22),
            ],
        ),
        ("op_kernel/a.cpp:4-8 and 64 lanes of each row", [("op_kernel/a.cpp", 4, 8)]),
        ("op_kernel/a.cpp:40-52, 3.5 us less", [("op_kernel/a.cpp", 40, 52)]),
        ("the kernel does follow it", []),
        ("op_kernel/a.cpp as a whole", []),
        (f"op_kernel/a.cpp:1-{9 * '1' * 600}: all of it", [("op_kernel/a.cpp", 1, 1)]),
    ],
)
def test_a_place_is_a_file_with_lines(
    rationale: str, places: list[tuple[str, int, int]]
) -> None:
    assert named_places(rationale) == tuple(Place(*place) for place in places)


def test_a_record_leads_to_the_lines_it_names() -> None:
    """A call like the lesson's stood elsewhere, and people were sent there."""
    twice = {PATH: "Muls(a, b, c, n);\n" + AFTER[PATH]}
    assert shown_at("as it says", CODE, {}, twice) == ((PATH, 0),)
    assert shown_at(f"{PATH}:38-50: a product", CODE, {}, twice) == ((PATH, 41),)
    assert shown_at(f"{PATH}:5-8 and 42", CODE, {}, twice) == ((PATH, 4), (PATH, 41))
    assert shown_at("op_kernel/other.cpp:4", CODE, {}, twice) == ((PATH, 0),)


@pytest.mark.parametrize(
    ("rationale", "why"),
    [
        (f"{PATH}:41: one product instead of a division", ""),
        (f"{PATH}:35-38: counted roughly", ""),
        (f"kept {PATH}:41", ""),
        ("it does follow it", NO_PLACE),
        (f"{PATH}:5-8: the beginning", NOT_THERE),
        ("op_kernel/other.cpp:41: no such file", NOT_THERE),
    ],
)
def test_a_claim_stands_where_the_round_changed_what_it_names(
    rationale: str, why: str
) -> None:
    assert unfounded(rationale, CODE, BEFORE, AFTER) == why


def test_a_design_that_was_kept_has_to_show_the_lesson() -> None:
    kept = f"kept {PATH}:38-44 because of it"
    assert unfounded(kept, CODE, AFTER, AFTER) == ""
    assert unfounded(kept, CodeDiff("", "Brcb(y, x, 1, p);"), AFTER, AFTER) == NOT_THERE


def test_a_claim_without_an_edit_earns_nothing(workspace: Workspace) -> None:
    bench = PlayedOperator(workspace)

    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.DISTIL:
            return "Nothing new."
        if request.round > 1:
            return "## Done\nfast enough\n"
        first, *others = request.retrieved
        text = reply_text({first: "adopted"}, files("AbsMath", "pass 20.0"))
        claims = "\n".join(
            f"- [{uid}] adopted: the kernel follows it" for uid in others
        )
        return text.replace("## Resident", f"{claims}\n## Resident")

    asyncio.run(bench.run(Model(answer)))

    rows = bench.rows(
        "SELECT state, rationale FROM trace WHERE round = 1 ORDER BY rank"
    )
    assert [state for state, _ in rows] == [
        "adopted",
        *["not_adopted"] * (len(rows) - 1),
    ]
    assert all(rationale.endswith(f"({NO_PLACE})") for _, rationale in rows[1:])
