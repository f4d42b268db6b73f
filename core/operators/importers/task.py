"""What an importer makes of a benchmark: tasks that are whole, and faults that name file and field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from core.errors import InvalidInput
from core.operators.spec import AttributeSpec, DecidingRule, RowValue, TensorSpec

# Elements of the largest tensor above which the CPU twin would need minutes for a case.
BIG_ELEMENTS = 1 << 23

# CANN's standard, as `resources/importers` compute it.
MEAN_TOLERANCE = """\
- relative error = |error| / (|reference| + 1e-7), its mean and its largest value in every output:
- float32: mean < 2^-13 (0.00012), largest < 0.0012
- float16: mean < 2^-10 (0.00098), largest < 0.0098
- bfloat16: mean < 2^-7 (0.0078), largest < 0.078
- every other type: exact
- NaN and infinities only where the reference has them"""


@dataclass(frozen=True)
class TaskCase:
    """One case of an imported task.

    Attributes:
        name: Unique within the task.
        row: The benchmark's own parameters, untouched.
        big: Whether the CPU twin skips it by default.
    """

    name: str
    row: Mapping[str, RowValue]
    big: bool = False


@dataclass(frozen=True)
class ImportedTask:
    """A task of a public benchmark, read without executing any of its code.

    Attributes:
        identifier: Where it stands in its benchmark, e.g. `npukb/L1/Math/Sqrt`.
        name: OpDef name (PascalCase).
        benchmark: Label shown with every result of the task.
        level: 1-3 where the benchmark has such levels, else 0.
        category: Category of the benchmark.
        summary: Task text in Markdown.
        inputs: Interface, in call order.
        outputs: Interface, in call order.
        attributes: Interface, in call order.
        cases: At least one.
        rule: Which verdict decides.
        adapter: File in `resources/importers` that becomes the task's `reference.py`.
        files: Relative path -> text of the task's code, for the judge's child only.
        templates: Relative path -> text the benchmark gives the generator to start from.
        split: `paper`, `mining` or `other`.
        expert_answer: Whether the benchmark ships an expert's answer; it is never read nor copied.
        baselines: Case name -> (microseconds, whether measured) of the benchmark's own device.
        tolerance: What the benchmark's own rule accepts, in numbers, where `rule` is `checker`.
        notes: What a user should know, e.g. why the twin cannot run the task.
    """

    identifier: str
    name: str
    benchmark: str
    level: int
    category: str
    summary: str
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    attributes: tuple[AttributeSpec, ...]
    cases: tuple[TaskCase, ...]
    rule: DecidingRule
    adapter: str
    files: Mapping[str, str]
    templates: Mapping[str, str] = field(default_factory=dict)
    split: str = "other"
    expert_answer: bool = False
    baselines: Mapping[str, tuple[float, bool]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    tolerance: str = ""


@dataclass(frozen=True)
class TaskFault:
    """Why a task was not imported.

    Attributes:
        task: Identifier as far as it is known.
        file: File at fault, relative to the benchmark's folder.
        field: Field, function, class or row in it.
        problem: What is wrong, including the value.
    """

    task: str
    file: str
    field: str
    problem: str

    def __str__(self) -> str:
        return f"{self.task}: {self.file}: {self.field}: {self.problem}"


# What a stranger's file can make a reader of its text raise, beside `InvalidInput`: sums of 20,000 terms and
# values of a type no reader expects. They are the fault of one task and stop no other.
UNREADABLE = (
    InvalidInput,
    RecursionError,
    MemoryError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
)


def task_fault(identifier: str, error: Exception) -> TaskFault:
    """Why the task could not be read, one of `UNREADABLE`."""
    if isinstance(error, InvalidInput):
        return TaskFault(identifier, error.source, error.field, str(error.problem))
    if isinstance(error, RecursionError | MemoryError):
        problem = "holds an expression too deep or too large to read"
    else:
        problem = f"cannot be read: {type(error).__name__}: {str(error)[:200]}"
    return TaskFault(identifier, identifier, "task", problem)


@dataclass(frozen=True)
class ImportReport:
    """Everything found in a checkout: whole tasks and faults; a task with a fault is not among the tasks.

    `notes` say what else lies there and was left out on purpose.
    """

    benchmark: str
    root: Path
    tasks: tuple[ImportedTask, ...]
    faults: tuple[TaskFault, ...]
    notes: tuple[str, ...] = ()

    @property
    def case_count(self) -> int:
        """Cases of all tasks."""
        return sum(len(task.cases) for task in self.tasks)


Place = TypeVar("Place")


def read_tasks(
    benchmark: str,
    root: Path,
    places: Iterable[tuple[str, Place]],
    read: Callable[[str, Place], ImportedTask],
    faults: Iterable[TaskFault] = (),
) -> ImportReport:
    """Read tasks one by one; one that cannot be read is a fault and stops no other.

    Args:
        benchmark: Label of the checkout.
        root: The checkout.
        places: Identifier of every task, and where it lies.
        read: Makes the task of both.
        faults: Those met before.
    """
    tasks, all_faults = list[ImportedTask](), list(faults)
    for identifier, place in places:
        try:
            tasks.append(read(identifier, place))
        except UNREADABLE as error:
            all_faults.append(task_fault(identifier, error))
    return ImportReport(benchmark, root, tuple(tasks), tuple(all_faults))
