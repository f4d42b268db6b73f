"""`sage operators`: the catalogue and operators of one's own, for a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
from tabulate import tabulate
from tqdm import tqdm

from core.errors import SageError
from core.evaluation.integrity.core_work import decision_on, denied_to
from core.operators.case_text import case_text
from core.operators.catalogue import (
    catalogue_folder,
    find_operator,
    operator_names,
    resolve_operator,
)
from core.operators.loader import load_operator
from core.operators.measured_kernels import measured_kernels
from core.operators.spec import OperatorSpec, TensorSpec, TestCase
from core.operators.template import create_operator
from core.records_json import to_json
from core.text import count_text
from remote.operator_check import OperatorCheck, check_operators
from sage_desktop.commands.command_group import CommandGroup
from sage_desktop.commands.operator_exchange import export, import_
from sage_desktop.services.wiring import SOC_HELP, cache_dir

PASSED, FAILED = 0, 1

_FOLDER = click.option(
    "--folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder of operators; the catalogue by default.",
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(cls=CommandGroup)
def operators() -> None:
    """List, check, create, import and export operators."""


operators.add_command(import_)
operators.add_command(export)


@operators.command("list")
@click.argument("operator", metavar="[NAME|FOLDER]", default="")
@_FOLDER
@_JSON
def list_(operator: str, folder: Path | None, as_json: bool) -> None:
    """List the operators of the catalogue, by level and category; of one named, show interface and cases."""
    if operator:
        spec = _named(operator, folder)
        if as_json:
            click.echo(json.dumps(msgspec.to_builtins(spec, enc_hook=str)))
        else:
            click.echo(render_operator(spec))
        return
    specs = _by_level(_all_in(folder))
    if as_json:
        click.echo(json.dumps([_summary(spec) for spec in specs], indent=1))
        return
    table = [
        (
            _level(spec),
            spec.category,
            spec.name,
            len(spec.cases),
            " ".join(_dtypes(spec)),
            spec.rule.value,
        )
        for spec in specs
    ]
    headers = ("level", "category", "operator", "cases", "dtypes", "rule")
    click.echo(tabulate(table, headers=headers))


def _named(name: str, folder: Path | None) -> OperatorSpec:
    """The operator of a name, in a folder of operators or wherever names are looked up."""
    if folder is not None:
        return find_operator(str(folder), name)
    return resolve_operator(name)


def _summary(spec: OperatorSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "level": spec.level,
        "category": spec.category,
        "benchmark": spec.benchmark,
        "cases": len(spec.cases),
        "dtypes": _dtypes(spec),
        "rule": spec.rule.value,
    }


@operators.command()
@click.argument("names", metavar="[NAME|FOLDER]...", nargs=-1)
@click.option(
    "--all", "everything", is_flag=True, help="Check the whole catalogue (or --folder)."
)
@_FOLDER
@_JSON
def check(
    names: tuple[str, ...], everything: bool, folder: Path | None, as_json: bool
) -> None:
    """Check operators: files, references on every case, and whether the task is worth setting.

    With --folder, names are those of its operators. Reference files run in a child process. Exit code 0 when
    all pass, 1 when one does not.
    """
    has_both = everything and bool(names)
    if has_both or not (everything or names):
        what = "Names and --all exclude each other." if names else "Nothing to check."
        raise SageError(what, "Name operators, or use --all.")
    specs = [_named(name, folder) for name in names]
    if everything:
        specs = _by_level(_all_in(folder))
    answers = check_operators(specs, cache_dir())
    progress = tqdm(
        answers, total=len(specs), unit="operator", leave=False, disable=None
    )
    checks = list(progress)
    click.echo(to_json(checks) if as_json else render_checks(specs, checks))
    raise SystemExit(FAILED if any(row.problems for row in checks) else PASSED)


@operators.command()
@click.argument("name")
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Folder of operators that gets it, made when it is not there; here by default.",
)
def new(name: str, into: Path) -> None:
    """Create the folder NAME (PascalCase) with a small working operator to start from."""
    spec = create_operator(name, into)
    click.echo(
        f"{spec.folder}: operator.toml and reference.py, "
        f"{count_text(len(spec.cases), 'case')}."
    )
    click.echo(f"Edit both, then: sage operators check {spec.folder}")


@operators.command()
@click.argument("name", metavar="NAME|FOLDER")
@click.option(
    "--bank",
    default="seeds",
    show_default=True,
    help="What the memory begins with, as for `sage run`.",
)
@click.option(
    "--frozen",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Read the memory in FILE instead.",
)
@click.option("--soc", default="", help=SOC_HELP)
def prompt(name: str, bank: str, frozen: Path | None, soc: str) -> None:
    """Print what a model reads first of an operator: the first prompt of `sage run` on the CPU twin.

    No model is asked and nothing is kept.
    """
    from sage_desktop.services.first_prompt import first_prompt_of

    first_prompt = first_prompt_of(
        resolve_operator(name), bank=bank, frozen=frozen, soc=soc
    )
    click.echo("\n\n".join(message.content for message in first_prompt.messages))
    click.echo(f"About {first_prompt.tokens:,} tokens.", err=True)


def _all_in(folder: Path | None) -> list[OperatorSpec]:
    root = folder or catalogue_folder()
    return [load_operator(root / name) for name in operator_names(root)]


def _by_level(specs: Iterable[OperatorSpec]) -> list[OperatorSpec]:
    """Level 1 to 3 in front, then what is outside the benchmark; category and name within."""
    return sorted(specs, key=lambda spec: (spec.level or 9, spec.category, spec.name))


def _level(spec: OperatorSpec) -> str:
    """The level, else the benchmark it was imported from, else a dash."""
    if spec.level:
        return str(spec.level)
    return spec.benchmark if spec.benchmark != "catalogue" else "-"


def _dtypes(spec: OperatorSpec) -> list[str]:
    """Dtypes of the first input or output that has a choice, else of the first input."""
    tensors = [*spec.inputs, *spec.outputs]
    with_choice = [tensor for tensor in tensors if len(set(tensor.dtypes)) > 1]
    leading = (with_choice or tensors)[0]
    return [dtype.value for dtype in dict.fromkeys(leading.dtypes)]


_ALIGN = ("left", "left", "left", "right", "right", "left", "right", "left")


def render_checks(
    specs: Sequence[OperatorSpec], checks: Sequence[OperatorCheck]
) -> str:
    """The answers as a table; below it problems, cheap answers that pass cases, and the sum."""
    table = [_check_row(spec, row) for spec, row in zip(specs, checks, strict=True)]
    headers = (
        "level",
        "category",
        "operator",
        "cases",
        "big",
        "dtypes",
        "reference ms",
        "",
    )
    lines = [tabulate(table, headers=headers, disable_numparse=True, colalign=_ALIGN)]
    for row in checks:
        if row.problems:
            lines += ["", row.name, *(f"  {problem}" for problem in row.problems)]
    lines += [
        "",
        "Answers that cost nothing and pass single cases (others reject them):",
    ]
    # A case that zeros or the input itself would pass tests little.
    weak_answers = []
    for row in checks:
        weak_answers += [f"  {row.name}: {weak}" for weak in row.weak]
    lines += weak_answers or ["  none"]
    failed = sum(bool(row.problems) for row in checks)
    cases = sum(row.cases for row in checks)
    seconds = sum(row.seconds for row in checks)
    verdict = f"{failed} with problems" if failed else "all pass"
    cases_text = count_text(cases, "case")
    spent = f"{cases_text}, {seconds:.1f} s in references on one core"
    all_checked = count_text(len(checks), "operator")
    return "\n".join([*lines, "", f"{all_checked}, {spent}: {verdict}."])


def _check_row(spec: OperatorSpec, row: OperatorCheck) -> tuple[object, ...]:
    """The answers about one operator, by column."""
    outcome = "passes"
    if row.problems:
        outcome = count_text(len(row.problems), "problem")
    return (
        _level(spec),
        spec.category,
        spec.name,
        row.cases,
        row.skipped,  # cases marked big, whose reference is not computed
        " ".join(_dtypes(spec)),
        f"{1000 * row.seconds:.0f}",
        outcome,
    )


def _denied(spec: OperatorSpec) -> str:
    """Primitives the integrity rules deny, with the reason where it was decided by us."""
    primitives = ", ".join(denied_to(spec)) or "nothing"
    decision = decision_on(spec)
    return f"{primitives} ({decision.reason})" if decision else primitives


def render_operator(spec: OperatorSpec) -> str:
    """Everything about an operator as text."""
    head = f"{spec.name}  (kernel entry {spec.snake_name}, level {_level(spec)}, {spec.category})"
    lines = [head, "", spec.summary, "", f"Deciding rule: {spec.rule.value}"]
    lines += [f"Not to be leaned on: {_denied(spec)}"]
    lines += [str(kernel) for kernel in measured_kernels(spec)]
    if spec.references:
        lines.append(f"References: {'; '.join(spec.references)}")
    for kind, reason in spec.lacks.items():
        lines.append(f"No {kind.replace('_', '-')} case: {reason}")
    lines += ["", "Interface", *_interface(spec)]
    lines += ["", f"Cases ({len(spec.cases)})"]
    lines += [_case(case, spec) for case in spec.cases]
    lines += ["", f"Folder: {spec.folder}"]
    return "\n".join(lines)


def _interface(spec: OperatorSpec) -> list[str]:
    """Inputs, outputs and attributes, one a line."""
    tensors = [("input", tensor) for tensor in spec.inputs]
    tensors += [("output", tensor) for tensor in spec.outputs]
    lines = [
        f"  {kind:<9} {tensor.name:<20} {_tensor(tensor)}" for kind, tensor in tensors
    ]
    for attribute in spec.attributes:
        default = "required"
        if attribute.default is not None:
            default = f"default {attribute.default!r}"
        line = f"  attribute {attribute.name:<20} {attribute.type}, {default}"
        if attribute.description:
            line += f"  {attribute.description}"
        lines.append(line)
    return lines


def _tensor(tensor: TensorSpec) -> str:
    """Dtypes, kind and meaning of a tensor."""
    dtypes = dict.fromkeys(dtype.value for dtype in tensor.dtypes)
    words = [" ".join(dtypes)]
    if tensor.is_list:
        words.append("list")
    if tensor.optional:
        words.append("optional")
    if tensor.description:
        words.append(tensor.description)
    return ", ".join(words)


def _case(case: TestCase, spec: OperatorSpec) -> str:
    marks = [mark for mark in ("hidden", "big") if getattr(case, mark)]
    if case.timed and not case.hidden:
        marks.append("timed")
    about = f" ({', '.join(marks)})" if marks else ""
    return f"  {case.name}{about}: {case_text(case, spec)}"
