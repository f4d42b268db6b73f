"""Blame to memory: from a line to what taught it, and from an experience to its lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.analysis.blame import Basis, Blame, Evidence, read_blame, taught_by
from core.engine.forking import fork
from core.errors import SageError
from core.evaluation.records import TIME_MODEL
from core.workspace import Workspace
from tests.gui import sample_workspace

KERNEL = "op_kernel/abs_math.cpp"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with Workspace.open(
        sample_workspace.build(tmp_path_factory.mktemp("w") / "w.sage")
    ) as opened:
        yield opened


@pytest.fixture(scope="module")
def read(workspace: Workspace) -> Blame:
    return read_blame(workspace.db, "trajectory-1")


def line_of(read: Blame, number: int, text: str) -> int:
    return next(
        n
        for n, line in enumerate(read.texts[number][KERNEL].splitlines())
        if text in line
    )


def test_a_line_tells_its_round_its_experience_and_what_that_brought(
    read: Blame,
) -> None:
    found = read.of_line(6, KERNEL, line_of(read, 6, "DataCopyPad("))
    assert found is not None
    assert found.origin.version == 3
    assert [(lesson.uid, lesson.basis, check) for lesson, check in found.taught_by] == [
        ("seed-0001", Basis.ADOPTED, Evidence.LINE)
    ]
    assert found.taught_by[0][0].rationale.startswith("Its wrong code")
    effect = found.work.effect
    assert effect is not None
    assert (effect.before, effect.after, effect.after_us, effect.change_us) == (
        0,
        3,
        21.84,
        None,
    )


def test_what_a_round_brought_is_counted_from_the_last_timed_kernel(
    read: Blame,
) -> None:
    effects = {number: work.effect for number, work in read.works.items()}
    assert effects[4] is not None
    assert effects[4].change_us == pytest.approx(15.02 - 21.84)
    assert effects[5] is not None  # it failed: what came of it shows in round 6
    assert (effects[5].before, effects[5].after) == (4, 6)
    assert effects[6] is not None
    assert effects[6].change_us == pytest.approx(9.63 - 15.02)
    assert effects[6].origin == f"modelled-{TIME_MODEL}"


def test_a_declaration_the_code_does_not_bear_out_is_no_teacher(read: Blame) -> None:
    found = read.of_line(6, KERNEL, line_of(read, 6, "BUFFER_NUM = 2"))
    assert found is not None
    assert found.origin.version == 4
    assert found.taught_by == ()
    assert [(lesson.uid, check) for lesson, check in found.lessons] == [
        ("seed-0003", Evidence.NOWHERE)
    ]


def test_lines_a_record_names_are_what_it_declares(tmp_path: Path) -> None:
    with Workspace.open(sample_workspace.build(tmp_path / "w.sage")) as opened:

        def read_naming(first: int, last: int) -> Blame:
            """The blame once the record of round 3 names the lines from 1 on."""
            opened.db.execute(
                "UPDATE trace SET rationale = ? WHERE round = 3 AND state = 'adopted'",
                (f"I use its copy in `{KERNEL}:{first}-{last}`.",),
            )
            return read_blame(opened.db, "trajectory-1")

        def check(read: Blame, line: int) -> Evidence:
            found = read.of_line(3, KERNEL, line)
            assert found is not None
            ((_lesson, evidence),) = found.lessons
            return evidence

        plain = read_blame(opened.db, "trajectory-1")
        declaration = line_of(plain, 3, "DataCopyExtParams")
        call = line_of(plain, 3, "DataCopyPad(")
        assert (check(plain, declaration), check(plain, call)) == (Evidence.LINE,) * 2
        call_named = read_naming(call + 1, call + 1)
        assert check(call_named, call) is Evidence.LINE
        assert check(call_named, declaration) is Evidence.CHANGE, "beside it"
        (lesson,) = call_named.works[3].lessons
        assert lesson.code_lines == {KERNEL: {call}}
        last = max(plain.works[3].own_lines[KERNEL])
        assert check(plain, last) is Evidence.ELSEWHERE
        last_named = read_naming(last + 1, last + 1)
        assert check(last_named, last) is Evidence.NAMED
        taught = last_named.of_line(3, KERNEL, last)
        assert taught is not None
        assert [lesson.uid for lesson, _check in taught.taught_by] == ["seed-0001"]
        assert check(last_named, call) is Evidence.NOWHERE, "the record names another"


def test_an_item_tells_which_lines_it_taught_and_which_of_them_are_left(
    workspace: Workspace,
) -> None:
    found, total = taught_by(workspace.db, "seed-0001")
    assert (len(found), total) == (2, 2)  # both operators adopted it in round 3
    first = next(entry for entry in found if entry.operator == "AbsMath")
    assert (first.work.row.round, first.kept_in, first.basis, first.checked) == (
        3,
        6,
        Basis.ADOPTED,
        True,
    )
    assert [line.text.split("(")[0].split()[0] for line in first.lines] == [
        "DataCopyExtParams",
        "DataCopyPad",
    ]
    assert all(line.now == (KERNEL, line.line) for line in first.lines)
    newest, total = taught_by(workspace.db, "seed-0003", limit=1)
    assert (len(newest), total) == (1, 3)
    assert newest[0].lines == ()
    assert taught_by(workspace.db, "seed-0006") == ((), 0)


def test_an_item_leads_to_the_lines_its_record_names(tmp_path: Path) -> None:
    with Workspace.open(sample_workspace.build(tmp_path / "w.sage")) as opened:
        plain = read_blame(opened.db, "trajectory-1")
        last = max(plain.works[3].own_lines[KERNEL])
        opened.db.execute(
            "UPDATE trace SET rationale = ? WHERE round = 3 AND state = 'adopted'",
            (f"kept {KERNEL}:{last + 1}",),
        )
        entries, _total = taught_by(opened.db, "seed-0001")
        of_round = [entry for entry in entries if entry.work.row.round == 3]
        assert of_round
        for entry in of_round:
            assert [(line.path, line.line) for line in entry.lines] == [(KERNEL, last)]
            assert not entry.shown


def test_there_is_nothing_to_blame_without_a_kernel(workspace: Workspace) -> None:
    with pytest.raises(SageError, match="no kernel yet"):
        read_blame(workspace.db, "nothing")


def test_a_fork_keeps_what_taught_the_rounds_it_began_with(tmp_path: Path) -> None:
    with Workspace.open(sample_workspace.build(tmp_path / "w.sage")) as opened:
        before = read_blame(opened.db, "trajectory-1")
        files = dict(before.texts[4])
        files[KERNEL] = files[KERNEL].replace("BUFFER_NUM = 2", "BUFFER_NUM = 4")
        made = fork(opened, "trajectory-1", 4, files)
        read = read_blame(opened.db, made.trajectory)
        copied = read.of_line(
            made.round, KERNEL, line_of(read, made.round, "DataCopyPad(")
        )
        assert copied is not None
        assert [lesson.uid for lesson, _check in copied.taught_by] == ["seed-0001"]
        edited = read.of_line(
            made.round, KERNEL, line_of(read, made.round, "BUFFER_NUM = 4")
        )
        assert edited is not None
        assert (edited.origin.version, edited.work.row.author, edited.lessons) == (
            5,
            "person",
            (),
        )
