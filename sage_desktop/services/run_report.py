"""The report of a run as a page, for the command line and the window. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from core.models.endpoint import Endpoint
from core.whole_file import write_text
from core.workspace import Workspace
from sage_desktop.services.models.profiles import prices_of


def write_run_report(
    source: Path,
    target: Path,
    profiles: Mapping[str, Endpoint],
    since: str,
) -> Path:
    """Write the page of what the runs of a workspace did; returns `target`.

    Args:
        source: The workspace; it is only read, and may be in use.
        target: The page; one that is there is replaced.
        profiles: Models with their prices.
        since: An ISO time: only trajectories something was done for at or after it; empty for all.

    Raises:
        SageError: The workspace cannot be read or the page not be written.
    """
    from core.experiments.reports.run_page import run_page
    from core.experiments.reports.run_report import run_report, trajectories_since

    with Workspace.open_readonly(source) as workspace:
        trajectories = trajectories_since(workspace.db, since) if since else None
        report = run_report(workspace, source.stem, prices_of(profiles), trajectories)
    page = run_page(report)
    return write_text(target, page)
