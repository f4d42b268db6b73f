"""A replay uses the memory in the order of its recording, and never waits for what will not come."""

from __future__ import annotations

import asyncio

from core.agent.run.turns import MemoryTurns, MemoryUse
from core.replay.memory_order import MemoryOrder


def step(name: str) -> MemoryUse:
    """`begin Lerp corr`, `rule Lerp  seed-1`."""
    what, operator, objective, item = (*name.split(" "), "", "", "")[:4]
    return MemoryUse(what, operator, objective, item)


NAMES = ("begin A corr", "begin B corr", "fold B corr", "fold A corr", "begin B opt")
RECORDED = [step(name) for name in NAMES]


def played(order: MemoryTurns, *trajectories: list[MemoryUse]) -> list[MemoryUse]:
    """In which order trajectories that run side by side take their steps."""
    taken = []

    async def run(steps: list[MemoryUse]) -> None:
        name = steps[0].operator
        order.enter(name)
        for entry in steps:
            async with order.turn(entry):
                taken.append(entry)
        order.leave(name)

    async def together() -> None:
        async with asyncio.timeout(5):
            await asyncio.gather(*(run(steps) for steps in trajectories))

    asyncio.run(together())
    return taken


def of(operator: str) -> list[MemoryUse]:
    return [entry for entry in RECORDED if entry.operator == operator]


def test_steps_are_taken_in_the_recorded_order_whoever_is_ready_first() -> None:
    assert played(MemoryOrder(RECORDED), of("B"), of("A")) == RECORDED
    assert played(MemoryOrder(RECORDED), of("A"), of("B")) == RECORDED


def test_whoever_waits_can_say_for_whom() -> None:
    order = MemoryOrder(RECORDED)
    first, second, *_rest = RECORDED
    assert order.awaited(first) == ""
    assert order.awaited(second) == "A"
    assert order.awaited(step("begin C corr")) == "", "what was not recorded waits not"
    assert MemoryTurns().awaited(second) == ""


def test_a_live_run_waits_for_nothing() -> None:
    assert played(MemoryTurns(), of("B"), of("A")) == [*of("B"), *of("A")]


def test_an_interrupted_replay_goes_on_with_the_step_it_was_at() -> None:
    assert (
        played(MemoryOrder(RECORDED, RECORDED[:2]), of("A")[1:], of("B")[1:])
        == RECORDED[2:]
    )


def test_what_a_trajectory_left_out_is_waited_for_no_more() -> None:
    assert played(MemoryOrder(RECORDED), of("B"), of("A")[:1])[-2:] == of("B")[1:]


def test_when_all_wait_for_a_step_nobody_takes_it_is_skipped() -> None:
    lost = [step("begin C corr"), *RECORDED, step("rule A  seed-1")]
    assert played(MemoryOrder(lost, patience=0.05), of("B"), of("A")) == RECORDED


def test_a_rule_may_be_asked_for_by_another_trajectory_than_in_the_recording() -> None:
    recorded = [*RECORDED, step("rule A  seed-1")]
    order = MemoryOrder(recorded)
    taken = played(order, of("A"), [*of("B"), step("rule B  seed-1")])
    assert taken[-1].item == "seed-1"
    assert not order.holds(step("rule A  seed-1"))


def test_rules_of_a_later_step_are_not_asked_for_by_a_trajectory_that_goes_on() -> None:
    """It would wait for a turn that only comes after a step of its own, and the order would be given up."""
    names = (
        "fold A opt",
        "rule B  seed-1",
        "consolidate B  seed-1",
        "begin B opt",
        "rule A  seed-2",
    )
    recorded = [step(name) for name in names]
    order = MemoryOrder(recorded)
    assert order.rules_due("A", ("seed-1", "seed-2")) == ()
    assert order.rules_due("B", ("seed-1", "seed-2")) == ("seed-1",)
    assert MemoryOrder(recorded, recorded[:1]).rules_due("A", ("seed-2", "seed-1")) == (
        "seed-1",
        "seed-2",
    )
    killed_between = MemoryOrder(recorded, recorded[:2])
    assert killed_between.rules_due("B", ()) == ("seed-1",), (
        "its rule is written, and competes now"
    )
    assert killed_between.rules_due("A", ()) == ()
    assert MemoryTurns().rules_due("A", ("seed-1",)) == ("seed-1",), (
        "a live run waits for nothing"
    )


def test_a_cancelled_wait_leaves_the_step_to_come() -> None:
    async def cancel() -> MemoryOrder:
        order = MemoryOrder(RECORDED)
        order.enter("A")
        order.enter("B")

        async def second() -> None:
            async with order.turn(RECORDED[1]):
                raise AssertionError("not its turn")

        task = asyncio.ensure_future(second())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return order

    assert asyncio.run(cancel()).holds(RECORDED[1])
