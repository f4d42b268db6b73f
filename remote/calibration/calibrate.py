"""Calibrate one host: measure there, fit here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime

from core.errors import SageError
from core.evaluation.port import Evaluator, Progress
from remote.calibration.fit import fit
from remote.calibration.micro_kernels import Measurements, measure
from remote.calibration.record import CalibratedConstant, Calibration, MicroKernel
from remote.judge.building.processors import Processor, Processors

ModelOf = Callable[[str, Mapping[str, float]], Evaluator]
"""The twin of a part with some constants of its own."""


async def calibrate(
    host: str,
    device: Evaluator,
    model_of: ModelOf,
    table: Processors,
    progress: Progress,
) -> Calibration:
    """Measure the micro kernels on a host and fit the constants of its twin.

    Args:
        host: Its name.
        device: Evaluates there.
        model_of: Makes evaluators of the twin on this computer.
        table: Processors the twin has numbers of.
        progress: Hears what is being done.

    Raises:
        SageError: The host failed, or the twin does not model its processor.
    """
    progress("measuring micro kernels on the host")
    measured = await measure(device, progress)
    _require_most_measured(measured, host)
    part = device.soc
    processor = _processor(table, part, host)

    async def model(
        constants: Mapping[str, float], names: Collection[str]
    ) -> Mapping[str, float]:
        modelled = await measure(model_of(part, constants), _quiet, names)
        _require_all_modelled(modelled, names)
        return modelled.microseconds

    progress(f"fitting the twin's constants to {len(measured.microseconds)} latencies")
    best = await fit(measured.microseconds, model, processor.constants, progress)
    constants = (
        CalibratedConstant(name, processor.constants[name], value, best.spreads[name])
        for name, value in best.constants.items()
    )
    kernels = (
        MicroKernel(name, us, best.shipped_us[name], best.calibrated_us[name])
        for name, us in measured.microseconds.items()
    )
    return Calibration(
        host=host,
        part=part,
        cann=device.cann or measured.facts.get("cann", ""),
        date=datetime.now(UTC).date().isoformat(),
        time_model=processor.time_model,
        constants=tuple(constants),
        kernels=tuple(kernels),
        left_out=measured.left_out,
    )


def _require_most_measured(measured: Measurements, host: str) -> None:
    """Raise where fewer than half of the micro kernels have a latency: a fit to them would say little."""
    if len(measured.left_out) <= len(measured.microseconds):
        return
    name, why = next(iter(measured.left_out.items()))
    raise SageError(
        "Most micro kernels have no latency on {host}; {name}: {why}.",
        "An earlier calibration stays.",
        host=host,
        name=name,
        why=why.rstrip("."),
    )


def _processor(table: Processors, part: str, host: str) -> Processor:
    """The processor of the host as the twin models it."""
    processor = table.modelled.get(part)
    if processor is None:
        raise SageError(
            "The CPU twin does not model {part}, the processor of {host}.",
            "Name one of these with --soc: {known}.",
            part=part or "an unknown processor",
            host=host,
            known=", ".join(table.modelled),
        )
    return processor


def _require_all_modelled(modelled: Measurements, names: Collection[str]) -> None:
    """Raise where the twin itself has no latency of a micro kernel that is to be fitted."""
    for name in names:
        if name in modelled.microseconds:
            continue
        raise SageError(
            "The CPU twin gives the micro kernel {name} no latency: {why}.",
            name=name,
            why=modelled.left_out.get(name, "it was not run"),
        )


def _quiet(_line: str) -> None:
    """The twin's own progress is not shown here."""
