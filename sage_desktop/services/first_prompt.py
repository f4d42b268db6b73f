"""The first prompt of a run, made without one: what a model would read of an operator before its first line."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from core.agent.loop.setting import first_prompt
from core.agent.prompt.round_prompt import DEFAULT_TOKENS, Prompt
from core.agent.run.run_context import Task
from core.engine.beginning import begin_memory, read_bank
from core.method.parameters import MethodParameters
from core.models.manual import InboxDesk, Manual
from core.operators.spec import OperatorSpec
from core.workspace import Workspace
from sage_desktop.services import wiring


def first_prompt_of(
    operator: OperatorSpec, *, bank: str, frozen: Path | None, soc: str
) -> Prompt:
    """As `first_prompts_of`, of one operator."""
    (prompt,) = first_prompts_of([operator], bank=bank, frozen=frozen, soc=soc)
    return prompt


def first_prompts_of(
    operators: Sequence[OperatorSpec], *, bank: str, frozen: Path | None, soc: str
) -> list[Prompt]:
    """The prompts that `sage run` would put first, for the CPU twin of this computer. Nothing is asked or kept.

    Args:
        operators: What is to be written, each as if it were the first.
        bank: What the memory begins with, as for `read_bank`.
        frozen: A memory that is read instead.
        soc: Processor that the twin models; empty for the usual one.

    Raises:
        SageError: Bank, memory or processor cannot be used.
    """
    parameters = MethodParameters()
    judge = partial(wiring.evaluator_for, "local", "twin", soc)
    config = wiring.run_config(
        lambda: Manual(InboxDesk(lambda: None)),
        DEFAULT_TOKENS,
        parameters,
        judge,
        frozen=frozen,
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        Workspace.open(Path(folder) / "first.sage") as workspace,
    ):
        if frozen is None:
            begin_memory(workspace, read_bank(bank))
        run = config.open(workspace, lambda _event: None)
        prompts = []
        try:
            for operator in operators:
                asyncio.run(run.learn_shapes(operator))
                task = Task("first", 0, operator, parameters)
                prompts.append(first_prompt(run, task))
            return prompts
        finally:
            asyncio.run(run.close())
