"""The plan of an experiment: which arms are run on which operators, from which memory.

An arm is a method with its parameters; every arm is run with each of its backbones, and repeated.
`plan_file` reads one; docs/experiments.md describes the file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

from core.agent.run.limits import Limits
from core.engine.beginning import Bank, read_bank
from core.errors import InvalidInput, SageError
from core.experiments.plans.operator_sets import Named, all_chosen
from core.memory.replay.fixed_bank import MASKED
from core.method.methods import method, with_frozen_memory
from core.method.parameters import OPEN_RANGES, MethodParameters

INITIAL = "initial"  # an arm may read the memory every arm begins with
ORDERS = ("listed", "interleaved")
RANKINGS = ("atu", "uniform", MASKED)


def arm_name(arm: str, backbone: str) -> str:
    """An arm with one backbone, as commands and reports name it."""
    return f"{arm}@{backbone}"


@dataclass(frozen=True)
class Backbone:
    """A frozen model. `profile` is a profile's name, `replay` or what --model takes; empty: open."""

    name: str
    profile: str = ""


@dataclass(frozen=True)
class Arm:
    """What is compared.

    Attributes:
        name: Unique in the plan.
        method: As `--method` takes it.
        backbones: Those it is run with; empty: every one.
        operators: Names and sets; empty: those of the plan.
        order: `listed`, or `interleaved`: the operators of several sets spread evenly among each other.
        parameters: Beside those of the plan.
        continues: The arm whose final memory it continues to learn from, with the same backbone and repeat.
        reads: The arm whose final memory it reads and never writes, or `initial`.
        donor: The backbone of the arm that is read or continued; empty: its own.
        ranking: What the memory that is read ranks its cold items by: `atu` as it is; `uniform` credit, counted
            again from the same traces; `masked`: likewise, an adoption counting only where the rounds, played
            again without the item, did worse.
        is_reported: Whether the arm stands in the tables, or only makes a memory.
        title: For the tables; the method's when empty.
    """

    name: str
    method: str = "sage"
    backbones: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    order: str = "listed"
    parameters: Mapping[str, str] = field(default_factory=dict)
    continues: str = ""
    reads: str = ""
    donor: str = ""
    ranking: str = "atu"
    is_reported: bool = True
    title: str = ""

    @property
    def label(self) -> str:
        """What tables call it."""
        return self.title or method(self.method).title

    @property
    def needs(self) -> str:
        """The arm that has to be finished before; empty when none has."""
        return self.continues or ("" if self.reads == INITIAL else self.reads)


@dataclass(frozen=True)
class FaithfulnessPlan:
    """Rounds of an arm that are played again without their experience, when it is done.

    Attributes:
        arm: Whose rounds.
        rounds: How many are drawn from each of its runs; 0: all.
        repeats: Of each trial.
        items_only: Whether only single adopted items are left out, not the experience as a whole.
    """

    arm: str
    rounds: int = 20
    repeats: int = 3
    items_only: bool = False


@dataclass(frozen=True)
class Plan:
    """A whole experiment.

    Attributes:
        name: Of the plan, `[a-z0-9-]`.
        title: For people.
        paper: The table or figure of the paper it makes.
        question: What it answers.
        operators: Names and sets the arms run.
        reported: Names and sets whose results are reported; empty: all.
        repeats: How often every arm is run.
        seed: Of the bootstrap.
        against: The arm the others are compared with; empty: none.
        bank: What every memory begins with, as `sage run --bank` takes it.
        rounds: T.
        limits: What may be spent, by the run of an arm.
        parameters: Of every arm.
        hosts: As `--host` takes them.
        toolchain: As `--toolchain`.
        soc: As `--soc`.
        backbones: Models.
        arms: What is compared.
        faithfulness: What is played again of them; None: nothing.
        bars: Names and sets of the operators whose speed-ups are drawn; empty: all that are reported.
        beside: Arms whose backbones are drawn beside each other, operator by operator.
    """

    name: str
    title: str
    paper: str
    question: str
    operators: tuple[str, ...]
    reported: tuple[str, ...]
    repeats: int
    seed: int
    against: str
    bank: str
    rounds: int
    limits: Limits
    parameters: Mapping[str, str]
    hosts: str
    toolchain: str
    soc: str
    backbones: tuple[Backbone, ...]
    arms: tuple[Arm, ...]
    faithfulness: FaithfulnessPlan | None = None
    bars: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()

    def arm(self, name: str) -> Arm:
        """The arm of that name; raises SageError when there is none."""
        arm_of_name = next((arm for arm in self.arms if arm.name == name), None)
        if arm_of_name is None:
            raise SageError(
                "The plan has no arm {name}.",
                "It has {arms}.",
                name=name,
                arms=", ".join(a.name for a in self.arms),
            )
        return arm_of_name

    def operators_of(self, arm: Arm) -> tuple[Named, ...]:
        """(source, name) of the operators of an arm, in the order they are run."""
        sets = [all_chosen([text]) for text in arm.operators or self.operators]
        merged = (
            _interleaved(sets)
            if arm.order == "interleaved"
            else tuple(chain.from_iterable(sets))
        )
        return tuple(dict.fromkeys(merged))

    def parameters_of(
        self, arm: Arm, recorded: MethodParameters | None = None
    ) -> MethodParameters:
        """Parameters of an arm; a recording's own, changed by the method, where one is replayed.

        Raises:
            InvalidInput: A value is out of its range, or without effect.
        """
        own = {
            name: value for name, value in arm.parameters.items() if name != "memory"
        }
        base = recorded or MethodParameters(T=self.rounds).changed(
            self.parameters, self.name
        )
        parameters = (
            method(arm.method)
            .parameters(base)
            .changed(own, f"{self.name}: arm {arm.name}")
        )
        for name in parameters.ends:
            low, high = OPEN_RANGES[name]
            raise InvalidInput(
                self.name,
                name,
                "{value} is not between {low:g} and {high:g}, both excluded",
                value=getattr(parameters, name),
                low=low,
                high=high,
            )
        return with_frozen_memory(parameters) if arm.reads else parameters

    def is_told(self, operator: str) -> bool:
        """Whether results of an operator stand in the tables."""
        return not self.reported or operator in {
            name for _, name in all_chosen(self.reported)
        }


def check_plan(plan: Plan, source: str) -> None:
    """See that a plan can be run as it stands; raises as `read_plan`."""
    names = [arm.name for arm in plan.arms]
    for places, what in (
        (names, "arms"),
        ([backbone.name for backbone in plan.backbones], "backbones"),
    ):
        if not places or len(set(places)) < len(places):
            raise InvalidInput(source, what, "there are none, or two of one name")
        for name in places:
            if not name.replace("-", "").replace(".", "").isalnum():
                raise InvalidInput(
                    source,
                    what,
                    "{name!r} is not a file name",
                    "Use letters, digits, dots and dashes.",
                    name=name,
                )
    if not 1 <= plan.repeats <= 100:
        raise InvalidInput(
            source, "repeats", "{repeats} is outside 1 … 100", repeats=plan.repeats
        )
    for name in filter(None, (plan.against, *plan.beside)):
        plan.arm(name)
    all_chosen([*plan.reported, *plan.bars])
    _check_faithfulness(plan, source)
    for index in range(len(plan.arms)):
        _check_arm(plan, index, source)
    refuse_trained(plan, read_bank(plan.bank), source)


def _check_arm(plan: Plan, index: int, source: str) -> None:
    """Refuse an arm that no experiment could run; raises InvalidInput, naming the field."""
    arm = plan.arms[index]
    place = f"arms[{index}]"
    backbone_names = {backbone.name for backbone in plan.backbones}
    earlier = [before.name for before in plan.arms[:index]]
    if arm.reads and arm.continues:
        raise InvalidInput(
            source,
            f"{place}.reads",
            "an arm reads a memory or continues it, not both",
        )
    if arm.ranking != "atu" and not arm.needs:
        raise InvalidInput(
            source,
            f"{place}.ranking",
            "needs the memory of another arm",
            "Name it as reads.",
        )
    studied = plan.faithfulness.arm if plan.faithfulness else ""
    if arm.ranking == MASKED and arm.reads != studied:
        raise InvalidInput(
            source,
            f"{place}.ranking",
            "masked credit needs rounds of {reads!r} played again without its items",
            "Read an arm, and name it as faithfulness.arm.",
            reads=arm.reads,
        )
    if arm.needs and arm.needs not in earlier:
        raise InvalidInput(
            source, place, "{needs!r} is not an arm before it", needs=arm.needs
        )
    if strange := [
        name
        for name in (*arm.backbones, arm.donor)
        if name and name not in backbone_names
    ]:
        raise InvalidInput(
            source,
            f"{place}.backbones",
            "{strange!r} is not among the backbones",
            strange=strange[0],
        )
    plan.operators_of(arm)
    plan.parameters_of(arm)


def _check_faithfulness(plan: Plan, source: str) -> None:
    """Refuse a second look at an arm whose rounds declare nothing that could be held against an effect."""
    again = plan.faithfulness
    if again is None:
        return
    arm = plan.arm(again.arm)
    if arm.reads or method(arm.method).changes.get("memory") == "none":
        raise InvalidInput(
            source,
            "faithfulness.arm",
            "{arm} has no memory of its own to doubt",
            arm=again.arm,
        )
    if not plan.parameters_of(arm).traces_adoption:
        raise InvalidInput(
            source,
            "faithfulness.arm",
            "{arm} asks for no adoption (uniform credit): there is no word to hold against an effect",
            "Name an arm whose method asks for it, such as sage.",
            arm=again.arm,
        )
    if again.rounds < 0 or not 1 <= again.repeats <= 100:
        raise InvalidInput(
            source, "faithfulness", "rounds are 0 or more, repeats 1 … 100"
        )


def refuse_trained(plan: Plan, bank: Bank, source: str) -> None:
    """Refuse a cold start that learnt from operators the plan evaluates.

    Raises:
        InvalidInput: It did; names some of them.
    """
    run = {name for arm in plan.arms for _, name in plan.operators_of(arm)}
    if both := sorted(run & set(bank.trained_on)):
        raise InvalidInput(
            source,
            "memory.bank",
            "{bank} learnt from {count} operators it is evaluated on: {both} …",
            "Begin with seeds or a bank of your own from other operators.",
            bank=bank.name,
            count=len(both),
            both=", ".join(both[:3]),
        )


def changed(
    plan: Plan,
    *,
    operators: tuple[str, ...] = (),
    repeats: int = 0,
    rounds: int = 0,
    hosts: str = "",
    toolchain: str = "",
    soc: str = "",
    models: Mapping[str, str] | None = None,
) -> Plan:
    """A plan with what a person chose otherwise; empty and 0 leave it.

    Args:
        plan: As written.
        operators: Names and sets; arms with operators of their own run those among them.
        repeats: Repeats.
        rounds: T.
        hosts: As `--host`.
        toolchain: As `--toolchain`.
        soc: As `--soc`.
        models: Backbone -> model; the name "" stands for every backbone whose profile is open.

    Raises:
        SageError: A backbone is not in the plan, or nothing is left of an arm.
    """
    backbones = {backbone.name: backbone for backbone in plan.backbones}
    for name, profile in (models or {}).items():
        if name and name not in backbones:
            raise SageError(
                "The plan has no backbone {name}.",
                "It has {chosen}.",
                name=name,
                chosen=", ".join(backbones),
            )
        for chosen in (
            [name]
            if name
            else [key for key, backbone in backbones.items() if not backbone.profile]
        ):
            backbones[chosen] = replace(backbones[chosen], profile=profile)
    arms = plan.arms
    if operators:
        names = {name for _, name in all_chosen(operators)}
        arms = tuple(
            replace(
                arm,
                operators=tuple(n for _, n in plan.operators_of(arm) if n in names),
                order="listed",
            )
            if arm.operators
            else arm
            for arm in arms
        )
        if bare := [
            a.name
            for a, was in zip(arms, plan.arms, strict=True)
            if was.operators and not a.operators
        ]:
            raise SageError(
                "The arm {arm} has none of the operators named.",
                "Name more operators, or another plan.",
                arm=bare[0],
            )
    return replace(
        plan,
        arms=arms,
        operators=operators or plan.operators,
        repeats=repeats or plan.repeats,
        rounds=rounds or plan.rounds,
        hosts=hosts or plan.hosts,
        toolchain=toolchain or plan.toolchain,
        soc=soc or plan.soc,
        backbones=tuple(backbones.values()),
    )


def narrowed(plan: Plan, names: Collection[str]) -> Plan:
    """A plan with those of its operators that are among `names`, in their order.

    Raises:
        SageError: Nothing is left of an arm.
    """

    def kept_operators(operators: Iterable[Named]) -> tuple[str, ...]:
        return tuple(name for _, name in operators if name in names)

    arms = tuple(
        replace(arm, operators=kept_operators(plan.operators_of(arm)), order="listed")
        for arm in plan.arms
    )
    if bare := [arm.name for arm in arms if not arm.operators]:
        raise SageError(
            "The arm {arm} has none of the operators there are kernels for.",
            "It has {names}.",
            arm=bare[0],
            names=", ".join(sorted(names)),
        )
    return replace(
        plan, operators=kept_operators(all_chosen(plan.operators)), arms=arms
    )


def _interleaved(sets: list[tuple[Named, ...]]) -> tuple[Named, ...]:
    """The sets merged so that each is spread evenly over the whole; its own order stays."""
    placed = [
        ((index + 0.5) / len(operators), number, operator)
        for number, operators in enumerate(sets)
        for index, operator in enumerate(operators)
    ]
    return tuple(
        operator for _, _, operator in sorted(placed, key=lambda entry: entry[:2])
    )
