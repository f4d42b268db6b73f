"""A picture of a calibration: every micro kernel, modelled over measured, before and after."""

from __future__ import annotations

from pathlib import Path

from remote.calibration.record import Calibration


def draw(calibration: Calibration, path: Path) -> None:
    """Write a scatter on logarithmic axes as SVG."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "calibration"  # the same file from the same numbers
    from matplotlib import pyplot as plt

    measured = [kernel.measured_us for kernel in calibration.kernels]
    shipped = [kernel.shipped_us for kernel in calibration.kernels]
    calibrated = [kernel.calibrated_us for kernel in calibration.kernels]
    every = [*measured, *shipped, *calibrated]
    ends = (0.7 * min(every), 1.5 * max(every))
    figure, axes = plt.subplots(figsize=(7, 6))
    axes.plot(ends, ends, "-", color="grey", lw=0.8)
    axes.scatter(measured, shipped, s=14, color="C1", label="before")
    axes.scatter(measured, calibrated, s=14, color="C0", label="after")
    axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends)
    where = f"{calibration.host}, {calibration.part}, CANN {calibration.cann or '?'}"
    axes.set_xlabel(f"measured on {where}, {calibration.date}, µs")
    axes.set_ylabel("modelled by the CPU twin, µs")
    axes.legend(loc="upper left", frameon=False)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
