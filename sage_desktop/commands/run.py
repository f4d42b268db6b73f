"""`sage run`: work through a queue without a window, with a progress bar and a result table."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from core.agent.run.limits import Limits
from core.engine import queue
from core.engine.beginning import begin_memory, read_bank
from core.errors import SageError
from core.experiments.plans.operator_sets import SETS, all_chosen
from core.memory.frozen import claim, frozen_memory
from core.method.methods import METHODS, method, with_frozen_memory
from core.method.parameters import MethodParameters
from core.workspace import Workspace
from sage_desktop.commands.outages import Outages
from sage_desktop.commands.run_progress import (
    follow,
    retrying,
    say,
    tell_beside_bar,
    waiting,
)
from sage_desktop.commands.shared_options import JUDGE, SERVER, named_values
from sage_desktop.services import wiring
from sage_desktop.services.models.choice import choose_model
from sage_desktop.services.places import demo_workspace, own_workspace
from sage_desktop.services.wiring import reach_hosts

_OPERATORS_HELP = (
    f"Names, folders, level:0 … level:3, or sets ({', '.join(SETS)}); separated by commas. Without it the queue "
    "as it is."
)
_SET_HELP = (
    "A parameter of the method, e.g. gamma=0.2, see docs/method.md; may be repeated."
)
_BANK_HELP = (
    "What a new memory begins with: seeds (the default), mined (from ten operators outside the evaluation), none, "
    "demo, evolved (a memory trained on evaluation operators), a folder of TOML files, one such file, or a "
    "session file."
)
_MODEL_HELP = "Model name (with --endpoint), manual:FOLDER, replay:SESSION.jsonl, or acp:AGENT (docs/agents.md)."


# Option of --limit -> field of `Limits`, and what its number is multiplied by there.
_LIMITS = {
    "tokens": ("tokens", 1),
    "minutes": ("seconds", 60),
    "cost": ("cost", 1),
    "run-tokens": ("run_tokens", 1),
    "run-minutes": ("run_seconds", 60),
    "run-cost": ("run_cost", 1),
}


@click.command()
@click.option(
    "--demo",
    is_flag=True,
    help="Play the recorded demonstration: no model and no NPU are used.",
)
@click.option("--operators", default="", metavar="LIST", help=_OPERATORS_HELP)
@click.option(
    "--again",
    is_flag=True,
    help="Also run operators that were run in this workspace before.",
)
@click.option("--model", default="", metavar="MODEL", help=_MODEL_HELP)
@SERVER
@JUDGE
@click.option(
    "--method",
    "method_name",
    default="sage",
    show_default=True,
    help=", ".join(METHODS),
)
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE", help=_SET_HELP)
@click.option(
    "--rounds",
    type=click.IntRange(1, 10_000),
    default=30,
    show_default=True,
    help="T per operator.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Operators at a time.",
)
@click.option(
    "--limit",
    "spending",
    multiple=True,
    metavar="NAME=VALUE",
    help=f"What may be spent: {', '.join(_LIMITS)}; may be repeated. Costs are at the prices of the profile.",
)
@click.option("--bank", metavar="BANK", help=_BANK_HELP)
@click.option(
    "--frozen",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Read the memory in FILE instead of the workspace's own; nothing is learnt.",
)
@click.option(
    "--workspace",
    "workspace_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Workspace file; one in the user's data folder by default.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the results as JSON on standard output.",
)
def run(demo: bool, workspace_path: Path | None, as_json: bool, **choices: Any) -> None:
    """Run operators, or the queue as it is, to the end; interrupted work continues where it stopped.

    Exit code 0: every operator has a correct kernel. 1: some have not, or a limit interrupted one.
    3: an internal fault. 130: interrupted.
    """
    plan = RunPlan(**choices)
    plan.check(replayed=demo)
    asyncio.run(reach_hosts(plan.host, wiring.data_dir(), plan.toolchain))
    # Local runs load no SSH for it.
    if wiring.host_names(plan.host) != ("local",):
        outages = Outages(tell_beside_bar)
        wiring.registry(wiring.data_dir()).watch = outages.heard
    if demo:
        path = workspace_path or demo_workspace()
        follow(
            lambda on_event: wiring.open_demo(path, on_event, plan.host),
            as_json=as_json,
        )
    model = choose_model(plan.model, plan.endpoint, plan.key_env, retrying, waiting)
    path = workspace_path or own_workspace()
    # A recording as the model is a replay, with the same restrictions as --demo.
    if model.session is not None:
        plan.check(replayed=True)
        session = model.session
        follow(
            lambda on_event: wiring.open_replay(path, session, on_event, plan.host),
            as_json=as_json,
        )
    parameters, limits = plan.parameters(), plan.limits(model.prices)
    judge = partial(wiring.evaluator_for, plan.host, plan.toolchain, plan.soc)
    # Unknown hosts and toolchains are refused before anything is written.
    judge()
    plan.prepare(path)
    config = wiring.run_config(
        model.make, model.context_budget, parameters, judge, limits, plan.frozen
    )
    follow(
        lambda on_event: wiring.open_run(path, config, on_event, provider=model.label),
        as_json=as_json,
    )


@dataclass(frozen=True)
class RunPlan:
    """What was asked for on the command line."""

    operators: str
    again: bool
    model: str
    endpoint: str
    key_env: str
    host: str
    toolchain: str
    soc: str
    method_name: str
    changes: tuple[str, ...]
    rounds: int
    workers: int
    bank: str | None
    frozen: Path | None
    spending: tuple[str, ...]

    def check(self, *, replayed: bool) -> None:
        """See that one memory is named at most.

        Raises:
            UsageError: The options contradict each other.
        """
        if self.frozen is not None and (replayed or self.bank is not None):
            raise click.UsageError(
                "--frozen is all the memory of a run; a replay or --bank brings another."
            )
        if replayed and self.bank is not None:
            raise click.UsageError(
                "A replay begins with the bank of its recording; leave --bank out."
            )

    def limits(self, prices: tuple[float, float, float]) -> Limits:
        """What may be spent, at these prices per million prompt, cached and reply tokens.

        Raises:
            UsageError: A limit is not NAME=VALUE, or has no such name or value.
            InvalidInput: A cost without prices.
        """
        values: dict[str, float] = {}
        for name, text in named_values(self.spending, "--limit").items():
            if name not in _LIMITS:
                raise click.UsageError(
                    f"--limit {name}: it is one of {', '.join(_LIMITS)}."
                )
            field, factor = _LIMITS[name]
            try:
                values[field] = factor * float(text)
            except ValueError as error:
                raise click.UsageError(
                    f"--limit {name}: {text!r} is no number."
                ) from error
        return Limits(
            tokens=int(values.get("tokens", 0)),
            seconds=values.get("seconds", 0.0),
            cost=values.get("cost", 0.0),
            run_tokens=int(values.get("run_tokens", 0)),
            run_seconds=values.get("run_seconds", 0.0),
            run_cost=values.get("run_cost", 0.0),
            price_input=prices[0],
            price_cached=prices[1],
            price_output=prices[2],
        )

    def parameters(self) -> MethodParameters:
        """Method parameters of new trajectories.

        Raises:
            UsageError: A change is not NAME=VALUE, or the method decides that parameter itself.
            InvalidInput: No such parameter, or not a value of it.
        """
        changes = named_values(self.changes, "--set")
        base = MethodParameters(
            T=self.rounds,
            workers=self.workers,
        ).changed(changes, "--set")
        parameters = method(self.method_name).parameters(base)
        # A parameter that the method sets itself would make a method of no name.
        for name in changes:
            if getattr(parameters, name) != getattr(base, name):
                raise click.UsageError(
                    f"--method {self.method_name} decides {name} itself."
                )
        return with_frozen_memory(parameters) if self.frozen else parameters

    def prepare(self, path: Path) -> None:
        """Write the bank of a new workspace, queue what is not there, and resume what failed.

        Raises:
            SageError: An operator or bank is not there, or nothing is left to be done.
        """
        for name in self.parameters().ends:
            say(
                f"{name} is at an end that the paper leaves out; what it proves does not hold for this run."
            )
        operators = all_chosen(self.operators.split(","))
        bank = read_bank(self.bank) if self.bank is not None else None
        with Workspace.open(path) as workspace:
            with frozen_memory(self.frozen) as memory:
                claim(workspace, memory)  # the engine looks again
            if self.frozen is None and (beginning := begin_memory(workspace, bank)):
                say(beginning)
            queue.enqueue_all(workspace, operators, again=self.again)
            queue.resume_failed(workspace)
            if not queue.waiting(workspace):
                raise SageError(
                    "Nothing is left to be done in {path}.",
                    "Queue operators with `sage queue`, name them with --operators, or use --again.",
                    path=path,
                )
