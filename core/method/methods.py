"""SAGE, its baselines and its ablations (paper, Experiments): each a few changed parameters, nothing else.

All of them share backbone, prompts, protocol, tools, rounds and judge; only the memory mechanism differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import TypeVar

from core.errors import InvalidInput
from core.method.parameters import MethodParameters

Declared = TypeVar("Declared")


@dataclass(frozen=True)
class Method:
    """A method as declared.

    Attributes:
        name: As written on the command line and in reports.
        title: As the paper calls it.
        description: What differs from SAGE.
        changes: Fields of `MethodParameters` that differ from SAGE's.
    """

    name: str
    title: str
    description: str
    changes: Mapping[str, str | float] = field(default_factory=dict)

    def parameters(self, base: MethodParameters | None = None) -> MethodParameters:
        """`base` (budget, rounds, … of the run) with the changes of this method."""
        return replace(base or MethodParameters(), **self.changes)  # type: ignore[arg-type]


_DECLARED = (
    Method("sage", "SAGE", "Adoption-traced utility and utility-guided consolidation."),
    Method(
        "refinement",
        "Refinement",
        "Repairs and optimizes within each operator; nothing is retrieved and nothing is kept.",
        {"memory": "none", "credit_rule": "none", "consolidation": "off"},
    ),
    Method(
        "static-rag",
        "Static RAG",
        "Retrieves by relevance from the initial memory; no experience is written, no utility is learnt.",
        {
            "memory": "static",
            "credit_rule": "none",
            "consolidation": "off",
            "gamma": 0.0,
        },
    ),
    Method(
        "value-memory",
        "Value Memory",
        "Retrieves by a value of each experience for correctness and for optimization, learnt round by round "
        "for all that were retrieved together, as EvoKernel does; no resident rules.",
        {"ranking": "value", "credit_rule": "uniform", "consolidation": "off"},
    ),
    Method(
        "uniform-credit",
        "Uniform Credit",
        "SAGE, but every retrieved experience gets the terminal score; adoption is not asked for.",
        {"credit_rule": "uniform"},
    ),
    Method(
        "no-ugc",
        "w/o UGC",
        "SAGE without consolidation into resident rules.",
        {"consolidation": "off"},
    ),
    Method(
        "random-ugc",
        "Random UGC",
        "SAGE, but resident rules are drawn at random among the eligible ones, within the same budget.",
        {"consolidation": "random"},
    ),
)

# Of SAGE and of Static RAG, which ranks by relevance.
_READ_ALIKE = {
    ("atu", "utility"),
    ("none", "off"),
}
# Not a method to choose by name: it needs the memory it reads.
FROZEN = "frozen-memory"
METHODS: Mapping[str, Method] = MappingProxyType(
    {method.name: method for method in _DECLARED}
)


def method(name: str) -> Method:
    """The declared method `name`.

    Raises:
        InvalidInput: There is none.
    """
    return declared(METHODS, name, "method", "name")


def declared(
    table: Mapping[str, Declared], name: str, source: str, field_name: str
) -> Declared:
    """What is declared as `name`.

    Raises:
        InvalidInput: Nothing is; names `source`, field and what there is.
    """
    if name not in table:
        raise InvalidInput(
            source,
            field_name,
            "{name!r} is not there",
            "Available: {known}.",
            name=name,
            known=", ".join(table),
        )
    return table[name]


def with_frozen_memory(parameters: MethodParameters) -> MethodParameters:
    """A method's way to read a memory, on one that nothing changes: the paper's transfer evaluation.

    Ranking by utility and resident rules are as the memory holds them; no credit, no consolidation.

    Raises:
        InvalidInput: The method reads no memory, or differs only in how it learns, which nothing does here.
    """
    if parameters.memory == "none":
        raise InvalidInput(
            "method", "memory", "is not read by this method", "Choose another --method."
        )
    learns = (parameters.credit_rule, parameters.consolidation) not in _READ_ALIKE
    # Ranking by value needs the rounds it was learnt from, which no memory file holds.
    if learns or parameters.ranking == "value":
        raise InvalidInput(
            "method",
            method_of(parameters),
            "has no effect with a frozen memory: it differs in how it learns, and would rank as SAGE does",
            "Choose --method sage with the memory that method ended with, or rank a memory again with "
            "`sage memory export --credit`.",
        )
    return replace(parameters, memory="frozen", credit_rule="none", consolidation="off")


def method_of(parameters: MethodParameters) -> str:
    """Name of the method stored parameters belong to, whatever their budgets; `custom` if none fits."""
    if parameters.memory == "frozen":
        return FROZEN
    for declared in _DECLARED:
        if declared.parameters(parameters) == parameters and _same_kind(
            declared, parameters
        ):
            return declared.name
    return "custom"


def described(parameters: MethodParameters) -> str:
    """Method and whatever else was chosen differently from the paper, e.g. `sage, T=10`."""
    name = method_of(parameters)
    usual = METHODS[name].parameters() if name in METHODS else MethodParameters()
    if name == FROZEN:
        usual = with_frozen_memory(usual)
    values = {
        entry.name: getattr(parameters, entry.name) for entry in fields(parameters)
    }
    changed = [
        f"{key}={value}"
        for key, value in values.items()
        if value != getattr(usual, key)
    ]
    return ", ".join([name, *changed])


def _same_kind(declared: Method, parameters: MethodParameters) -> bool:
    """Whether what any method changes has the value it has in this one."""
    usual = MethodParameters()
    touched = {name for entry in _DECLARED for name in entry.changes}
    return all(
        getattr(parameters, name) == declared.changes.get(name, getattr(usual, name))
        for name in touched
    )
