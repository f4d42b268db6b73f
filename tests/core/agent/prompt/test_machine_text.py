"""The first prompt holds the processor's numbers and what may not be called."""

from __future__ import annotations

from core.agent.prompt.machine_text import machine_text
from core.agent.prompt.round_prompt import ContextBuilder, RoundView, TaskView
from core.method.objective import Objective
from core.operators.catalogue import catalogue_operator


def test_numbers_of_the_processor_stand_in_the_first_prompt() -> None:
    operator = catalogue_operator("Swish")
    task = TaskView(operator, Objective.CORR, 30, "twin", "", soc="Ascend910B1")
    prompt = ContextBuilder().candidate(task, RoundView(), "", ())
    text = prompt.messages[0].content
    for number in (
        "0.48 us",
        "110 GB/s",
        "5.2 TB/s",
        "1.31 TB/s",
        "14 cycles until the next independent one",
    ):
        assert number in text, number
    assert "Not to be called" in task.text
    assert "`Sigmoid`" in task.text


def test_an_unknown_processor_has_no_page() -> None:
    assert machine_text("Ascend310P3") == ""
    assert "3.5 TB/s" in machine_text("Ascend910B4")


def test_only_tasks_with_products_are_told_what_cube_cores_cost() -> None:
    def page(operator: str) -> str:
        spec = catalogue_operator(operator)
        task = TaskView(spec, Objective.CORR, 30, "twin", "", soc="Ascend910B1")
        prompt = ContextBuilder().candidate(task, RoundView(), "", ())
        return prompt.messages[0].content

    assert "A copy into L1" in page("BatchedMatmul")
    assert "A copy into L1" not in page("Swish")
