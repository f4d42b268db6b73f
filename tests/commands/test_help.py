"""What a newcomer reads on the command line: whole sentences in --help, errors that name what was typed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from core.evaluation.records import (
    BuildReport,
    CaseResult,
    Evaluation,
    Latency,
    LatencyOrigin,
    RuleVerdicts,
    VerdictClass,
)
from sage_desktop.cli import main
from sage_desktop.commands.evaluate import render_evaluation
from tests.gui import sample_workspace


def _groups(
    command: click.Command, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Group]]:
    if isinstance(command, click.Group):
        yield path, command
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from _groups(found, (*path, name))


def _run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def test_every_list_of_commands_says_whole_sentences() -> None:
    groups = list(_groups(main))
    assert len(groups) > 8
    for path, group in groups:
        said = _run(*path, "--help").output.partition("Commands:")[2]
        assert "..." not in said, path
        context = click.Context(group)
        for name in group.list_commands(context):
            sentence = group.get_command(context, name).get_short_help_str(1000)
            assert "".join(sentence.split()) in "".join(said.split()), (path, name)


def test_options_are_explained_in_words_of_their_own() -> None:
    fragments = ("Of ", "As ", "For ")
    for path, group in _groups(main):
        context = click.Context(group)
        for name in group.list_commands(context):
            for option in group.get_command(context, name).params:
                words = getattr(option, "help", None) or ""
                assert not words.startswith(fragments), (path, name, option.name, words)


def test_an_operator_is_made_in_a_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    made = _run(
        "operators", "new", "MyAbs", "--into", str(tmp_path / "own" / "operators")
    )
    assert made.exit_code == 0, made.output
    assert (tmp_path / "own" / "operators" / "MyAbs" / "operator.toml").is_file()


def test_a_path_that_is_no_operator_is_told_as_a_path(tmp_path: Path) -> None:
    missing = _run("operators", "check", str(tmp_path / "nothing"))
    assert missing.exit_code == 2
    assert f"{tmp_path / 'nothing'}: folder: does not exist" in missing.output
    assert "/resources/operators" not in missing.output.replace(str(tmp_path), "")


def test_a_table_of_items_says_what_its_columns_are_and_takes_query_words(
    tmp_path: Path,
) -> None:
    path = str(sample_workspace.build(tmp_path / "w.sage"))
    listed = _run(
        "memory", "list", "--workspace", path, "--text", "type:optim adopted:>0"
    )
    assert "seed-0003" in listed.output
    assert "seed-0001" not in listed.output
    assert "u: utility" in listed.output
    refused = _run("memory", "list", "--workspace", path, "--text", "utility:much")
    assert refused.exit_code == 2
    assert "utility:much: a number is expected" in refused.output
    found = _run("memory", "search", "--workspace", path, "copy of the tail")
    assert "by words only; --wait 30" in found.output


def _case(name: str, us: float, *, timed: bool, hidden: bool = False) -> CaseResult:
    latency = Latency(
        us,
        "us",
        LatencyOrigin.MODELLED,
        "twin cycle model",
        0,
        None,
        "Ascend910B1 model",
    )
    verdicts = RuleVerdicts(
        paper=True, benchmark=True, ulp=True, deciding="paper", passed=True
    )
    return CaseResult(name, hidden, timed, "pass", "", "float32", verdicts, (), latency)


@pytest.mark.parametrize("several", [True, False])
def test_an_evaluation_says_which_cases_its_latency_is_the_sum_of(
    several: bool,
) -> None:
    cases = [_case("small", 2.5, timed=True), _case("odd", 9.0, timed=False)]
    cases += [_case("large", 4.0, timed=True)] if several else []
    whole = Latency(
        6.5,
        "us",
        LatencyOrigin.MODELLED,
        "twin cycle model",
        0,
        None,
        "Ascend910B1 model",
    )
    text = render_evaluation(
        Evaluation(
            "d",
            "Abs",
            VerdictClass.PASS,
            "",
            BuildReport(ok=True),
            tuple(cases),
            (),
            whole,
            None,
        )
    )
    lines = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    assert "2.50 *" in lines["small"]
    assert "*" not in lines["odd"]
    words = "sum of 2 timed cases (*)" if several else "of the timed case (*)"
    assert f"latency 6.50 us, {words}, modelled" in text
