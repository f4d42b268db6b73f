"""The judged recipe as a project: kernels that passed become a package of CANN that others build and install."""

from __future__ import annotations

from collections.abc import Sequence

from core.exporters.kernel import ExportedKernel
from core.templates import rendered
from remote.hosts.soc import soc_or_found, soc_script
from remote.toolchains.cann.project import environment_script, plan_files, plan_steps


def package_project(
    kernels: Sequence[ExportedKernel], vendor: str, soc: str
) -> dict[str, str]:
    """Everything a machine with CANN needs to build the package, with the steps of the judge.

    Args:
        kernels: What is in it.
        vendor: Name of its folder below `opp/vendors`.
        soc: SoC version to build for, e.g. `Ascend910B1`; empty for the one of that machine.

    Returns:
        Relative path -> text.

    Raises:
        InvalidInput: `soc` is no SoC version, or two kernels have files of one name that differ.
    """
    specs = [kernel.spec for kernel in kernels]
    script = rendered(
        "exported/package.sh.jinja",
        vendor=vendor,
        names=", ".join(spec.name for spec in specs),
        environment=environment_script(),
        soc=soc_script(soc),
        steps=plan_steps(specs, soc_or_found(soc), vendor),
    )
    readme = rendered(
        "exported/package.md.jinja", vendor=vendor, kernels=kernels, soc=soc
    )
    files = plan_files([(kernel.spec, kernel.candidate) for kernel in kernels])
    return {**files, "build.sh": script, "README.md": readme}
