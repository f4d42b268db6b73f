"""Fits constants of the twin to measured micro kernels, with the twin itself as the model.

Least squares of the logarithms: 10 % of a microsecond count as much as 10 % of a millisecond. Gauss-Newton with
forward differences; residuals beyond twice the noise count less (Huber), and a weak pull towards the shipped
constants (a factor of e is one standard deviation) keeps those in place which no measurement speaks of.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.evaluation.port import Progress
from remote.calibration.record import BEYOND_L2, MOST_SPREAD

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]
Model = Callable[[Mapping[str, float], Collection[str]], Awaitable[Mapping[str, float]]]
"""Constants that differ from the shipped ones, names of micro kernels -> microseconds."""

_PULL = 1.0  # standard deviation of the pull, in the logarithm
_LEAST_NOISE = 0.005
_FAR_OFF = 6.0  # medians; 4 standard deviations of a measurement
_LEAST_SLOPE = 0.01  # a constant that no kernel feels so much is not fitted
_STEP = -0.1  # of forward differences: a limit that just holds is felt only below it
_MOST_CHANGE = 1.0  # of one iteration, in the logarithm
_SETTLED, _NEAR = 0.01, 0.1
_WORSE = 1.01  # noise moves the sum a little at the end
_MOST_ITERATIONS = 8


CONSTANTS = (
    "launch.fixed_us",
    "launch.per_core_us",
    "launch.entry_us",
    "launch.entry_per_core_us",
    "memory.core_hbm_bytes_per_s",
    "memory.hbm_reached",
    "memory.core_l2_bytes_per_s",
    "l2_bytes_per_s",
    "memory.copy_latency_ns",
    "memory.copy_issue_cycles",
    "vector.start_cycles",
    "vector.issue_cycles",
    "vector.full_speed",
    "vector.two_source_speed",
    "vector.slow_speed",
    "vector.cast_speed",
    "vector.reduce_speed",
    "scalar.local_cycles",
    "scalar.cached_cycles",
    "scalar.global_cycles",
    "matrix.start_cycles",
    "matrix.step_cycles",
)
"""What is fitted, by the names in `processors.toml`."""

_OF_BULK = frozenset({"memory.core_hbm_bytes_per_s", "memory.hbm_reached"})
"""What copies beyond L2 depend on; they take the twin seconds."""


@dataclass(frozen=True)
class Fit:
    """Constants of the best fit.

    Attributes:
        constants: Name -> value, of all that are fitted.
        spreads: Name -> standard deviation over value; above `MOST_SPREAD` the value is the shipped one.
        shipped_us: By micro kernel, with the shipped constants.
        calibrated_us: By micro kernel, with the fitted ones.
    """

    constants: Mapping[str, float]
    spreads: Mapping[str, float]
    shipped_us: Mapping[str, float]
    calibrated_us: Mapping[str, float]


async def fit(
    measured_us: Mapping[str, float],
    model: Model,
    shipped: Mapping[str, float],
    progress: Progress,
) -> Fit:
    """Find the constants with which the model comes closest to what was measured.

    Args:
        measured_us: By micro kernel.
        model: The twin.
        shipped: Constants it starts from, by name.
        progress: Hears of each iteration.
    """
    problem = _Problem(measured_us, model, shipped)
    shifts = np.zeros(len(CONSTANTS))
    residuals = start = await problem.residuals(shifts)
    slopes = await problem.slopes(shifts, residuals, problem.felt_at_first())
    for iteration in range(1, _MOST_ITERATIONS + 1):
        apart = math.exp(float(np.median(np.abs(residuals)))) - 1
        progress(f"iteration {iteration}: half of the kernels within {apart:.1%}")
        change = _change(slopes, residuals, shifts)
        shifts, residuals = await problem.descend(shifts, residuals, change)
        largest = float(np.abs(change).max())
        if largest < _SETTLED:
            break
        if largest > _NEAR:
            felt = np.abs(slopes) > _LEAST_SLOPE
            slopes = await problem.slopes(shifts, residuals, felt)
    spreads = _spreads(slopes, residuals)
    unknown = spreads > MOST_SPREAD
    if unknown.any():
        shifts = np.where(unknown, 0.0, shifts)
        residuals = await problem.residuals(shifts)
    return Fit(
        problem.constants(shifts),
        dict(zip(CONSTANTS, map(float, spreads), strict=True)),
        problem.microseconds(start),
        problem.microseconds(residuals),
    )


class _Problem:
    """Residuals and slopes in the logarithm; a shift is the logarithm of constant over shipped constant."""

    def __init__(
        self,
        measured_us: Mapping[str, float],
        model: Model,
        shipped: Mapping[str, float],
    ) -> None:
        self._names = tuple(sorted(measured_us))
        self._measured = np.log([measured_us[name] for name in self._names])
        self._bulk = np.array([BEYOND_L2 in name for name in self._names])
        self._model = model
        self._shipped = shipped

    def constants(self, shifts: Vector) -> dict[str, float]:
        """All fitted constants."""
        return {
            name: self._shipped[name] * math.exp(float(shift))
            for name, shift in zip(CONSTANTS, shifts, strict=True)
        }

    def microseconds(self, residuals: Vector) -> dict[str, float]:
        """What was modelled where these residuals remain."""
        modelled = np.exp(self._measured + residuals)
        return dict(zip(self._names, map(float, modelled), strict=True))

    async def residuals(self, shifts: Vector) -> Vector:
        """Logarithm of modelled over measured, by micro kernel."""
        return await self._modelled(shifts, self._names) - self._measured

    def felt_at_first(self) -> Mask:
        """Which micro kernel may depend on which constant, in the form of `slopes`."""
        columns = [~self._bulk | (constant in _OF_BULK) for constant in CONSTANTS]
        return np.array(columns).T

    async def slopes(self, shifts: Vector, residuals: Vector, felt: Mask) -> Vector:
        """Derivatives of the residuals: a row for each micro kernel, a column for each constant.

        Only those that are `felt` are modelled, the others are 0.
        """
        columns = []
        for place, again in enumerate(felt.T):
            moved = shifts.copy()
            moved[place] += _STEP
            names = [name for name, one in zip(self._names, again, strict=True) if one]
            column = np.zeros(len(self._names))
            modelled = await self._modelled(moved, names)
            column[again] = modelled - self._measured[again] - residuals[again]
            columns.append(column / _STEP)
        return np.array(columns).T

    async def descend(
        self, shifts: Vector, residuals: Vector, change: Vector
    ) -> tuple[Vector, Vector]:
        """The next shifts and their residuals; a change that makes things worse is halved."""
        for halvings in range(4):
            moved = shifts + change / 2**halvings
            after = await self.residuals(moved)
            if np.abs(after).sum() <= _WORSE * np.abs(residuals).sum():
                return moved, after
        return shifts, residuals

    async def _modelled(self, shifts: Vector, names: Sequence[str]) -> Vector:
        modelled = await self._model(self.constants(shifts), names)
        return np.log([modelled[name] for name in names])


def _noise(slopes: Vector, residuals: Vector) -> float:
    """Standard deviation of a measurement, without those far off."""
    constants = int((np.abs(slopes).max(axis=0) > _LEAST_SLOPE).sum())
    sizes = np.abs(residuals)
    near = sizes[sizes <= _FAR_OFF * float(np.median(sizes))]
    freedom = max(1, len(near) - constants)
    return max(_LEAST_NOISE, math.sqrt(float((near**2).sum()) / freedom))


def _weighted(slopes: Vector, residuals: Vector) -> tuple[Vector, Vector]:
    """Slopes and residuals in units of the noise, Huber's weights in them."""
    noise = _noise(slopes, residuals)
    weights = np.sqrt(np.minimum(1.0, 2 * noise / np.maximum(np.abs(residuals), 1e-12)))
    return slopes * (weights / noise)[:, None], residuals * weights / noise


def _change(slopes: Vector, residuals: Vector, shifts: Vector) -> Vector:
    """The Gauss-Newton step from `shifts`, pulled towards 0."""
    rows, apart = _weighted(slopes, residuals)
    pull = np.eye(len(shifts)) / _PULL
    system = np.vstack([rows, pull])
    right = -np.concatenate([apart, shifts / _PULL])
    change = np.linalg.lstsq(system, right, rcond=None)[0]
    clipped: Vector = np.clip(change, -_MOST_CHANGE, _MOST_CHANGE)
    return clipped


def _spreads(slopes: Vector, residuals: Vector) -> Vector:
    """Standard deviation of each shift."""
    rows, _ = _weighted(slopes, residuals)
    precision = rows.T @ rows + np.eye(slopes.shape[1]) / _PULL**2
    variances: Vector = np.diag(np.linalg.inv(precision))
    return np.sqrt(variances)
