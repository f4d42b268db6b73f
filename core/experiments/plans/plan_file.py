"""Plans as TOML files, those that ship and those of a person; objections name table and field."""

from __future__ import annotations

from importlib import resources

from core.agent.run.limits import Limits
from core.errors import SageError
from core.experiments.plans.plan import (
    ORDERS,
    RANKINGS,
    Arm,
    Backbone,
    FaithfulnessPlan,
    Plan,
    check_plan,
)
from core.method.methods import method
from core.operators.toml_table import Table
from core.outside import at_home, read_text, toml_table

REPEATS = 3  # of a plan that names none


def shipped_plans() -> tuple[str, ...]:
    """Names of the plans that ship."""
    folder = resources.files("resources") / "plans"
    return tuple(
        sorted(
            entry.name.removesuffix(".toml")
            for entry in folder.iterdir()
            if entry.name.endswith(".toml")
        )
    )


def plan_text(name: str) -> tuple[str, str]:
    """(text, source) of a plan that ships, or of a file.

    Raises:
        SageError: There is neither.
    """
    if name in shipped_plans():
        return (resources.files("resources") / "plans" / f"{name}.toml").read_text(
            encoding="utf-8"
        ), f"plan {name}"
    path = at_home(name)
    if not path.is_file():
        raise SageError(
            "There is no plan {name}.",
            "Name a TOML file, or one of {shipped_plans}.",
            name=name,
            shipped_plans=", ".join(shipped_plans()),
        )
    return read_text(path), str(path)


def read_plan(text: str, source: str) -> Plan:
    """Read and check a plan.

    Raises:
        InvalidInput: It is not as it should be; names table and field.
        SageError: An operator, method or bank it names is not there.
    """
    top = Table(source, "", toml_table(text, source))
    memory, judge, budget, figures = (
        top.take_table(key) for key in ("memory", "judge", "budget", "figures")
    )
    plan = Plan(
        name=top.take("name", str),
        title=top.take("title", str),
        paper=top.take("paper", str, ""),
        question=top.take("question", str, ""),
        operators=top.take_strings("operators"),
        reported=top.take_strings("reported", ()),
        repeats=top.take("repeats", int, REPEATS),
        seed=top.take("seed", int, 0),
        against=top.take("against", str, ""),
        bank=memory.take("bank", str, "seeds"),
        rounds=budget.take("rounds", int, 30),
        limits=_limits(budget),
        parameters=_texts(top, "parameters"),
        hosts=",".join(judge.take_strings("hosts", ("local",))),
        toolchain=judge.take("toolchain", str, "twin"),
        soc=judge.take("soc", str, ""),
        backbones=tuple(_backbone(table) for table in top.take_tables("backbones"))
        or (Backbone("model"),),
        arms=tuple(_arm(table) for table in top.take_tables("arms")),
        faithfulness=_faithfulness(source, top.take("faithfulness", dict, {})),
        bars=figures.take_strings("bars", ()),
        beside=figures.take_strings("beside", ()),
    )
    for table in (memory, judge, budget, figures, top):
        table.finish()
    check_plan(plan, source)
    return plan


def _arm(table: Table) -> Arm:
    """An `[[arms]]` of a plan."""
    arm = Arm(
        name=table.take("name", str),
        method=table.take("method", str, "sage"),
        backbones=table.take_strings("backbones", ()),
        operators=table.take_strings("operators", ()),
        order=table.take_choice("order", ORDERS, ORDERS[0]),
        parameters=_texts(table, "parameters"),
        continues=table.take("continues", str, ""),
        reads=table.take("reads", str, ""),
        donor=table.take("donor", str, ""),
        ranking=table.take_choice("ranking", RANKINGS, RANKINGS[0]),
        is_reported=table.take("reported", bool, True),  # noqa: FBT003 - a default value
        title=table.take("title", str, ""),
    )
    table.finish()
    method(arm.method)
    return arm


def _faithfulness(source: str, values: dict[str, object]) -> FaithfulnessPlan | None:
    """The `[faithfulness]` of a plan; None where it has none."""
    if not values:
        return None
    table = Table(source, "faithfulness", values)
    plan = FaithfulnessPlan(
        table.take("arm", str),
        table.take("rounds", int, 20),
        table.take("repeats", int, 3),
        table.take("items_only", bool, False),  # noqa: FBT003 - a default value
    )
    table.finish()
    return plan


def _backbone(table: Table) -> Backbone:
    backbone = Backbone(table.take("name", str), table.take("profile", str, ""))
    table.finish()
    return backbone


def _limits(table: Table) -> Limits:
    """The `[limits]` of a plan: tokens, seconds and cost, of a trajectory and of a whole cell."""
    prices = table.take("prices", list, [0.0, 0.0, 0.0])
    if len(prices) != 3 or not all(isinstance(price, int | float) for price in prices):
        raise table.fault(
            "prices",
            "expected three numbers: of prompt, cached and reply tokens, per million",
        )
    number = (int, float)
    return Limits(
        tokens=table.take("tokens", int, 0),
        seconds=table.take("minutes", number, 0.0) * 60,
        cost=table.take("cost", number, 0.0),
        run_tokens=table.take("run_tokens", int, 0),
        run_seconds=table.take("run_minutes", number, 0.0) * 60,
        run_cost=table.take("run_cost", number, 0.0),
        price_input=prices[0],
        price_cached=prices[1],
        price_output=prices[2],
    )


def _texts(table: Table, key: str) -> dict[str, str]:
    """A table of parameters, as texts: `changed` reads them by their types."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in table.take(key, dict, {}).items()
    }
