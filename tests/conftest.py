"""Shared by all tests: no display, no user folders, one build cache for the whole run."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Nobody's keys are asked for, nor does each of some hundred commands look for the keyring of a desktop.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
# Several tests run at a time. More threads in each would wait for one another, spinning.
os.environ["OMP_NUM_THREADS"] = "1"
HERE = Path(__file__).parent
# What takes ten seconds and more, the longest first: begun last, it would leave a worker alone with it.
LONGEST = (
    "test_demo_run.py",
    "remote/test_slurm.py",
    "agents/test_driven_agent.py",
    "remote/cann/test_cann_judge.py",
    "test_live_run.py",
    "remote/test_far_demo.py",
    "security/test_candidates.py",
    "security/test_free_work.py",
    "remote/test_line_faults.py",
    "remote/test_launch_run.py",
    "core/operators/test_catalogue.py",
    "remote/test_machine.py",
    "security/test_foreign_python.py",
    "remote/test_judging.py",
    "core/memory/test_dense.py",
    "remote/test_pool.py",
    "agents/test_tools.py",
    "core/engine/test_faults.py",
    "core/experiments/test_experiment.py",
    "remote/test_evaluator.py",
    "remote/test_warm_judge.py",
    "remote/test_host_faults.py",
    "remote/test_interfaces.py",
    "test_scripted_session.py",
    "core/experiments/test_killed.py",
    "core/operators/test_case_classes.py",
    "core/engine/test_recording.py",
    "core/experiments/test_simulation.py",
    "test_operators_command.py",
    "gui/test_window.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first; with `--no-loadscope-reorder` workers take them in this order."""
    place = {HERE / name: number for number, name in enumerate(LONGEST)}
    if moved := [path for path in place if not path.is_file()]:
        raise pytest.UsageError(f"LONGEST in {__file__} names {moved[0]}, which is not there. Correct it.")
    items.sort(key=lambda item: place.get(item.path, len(place)))


def pytest_collection_finish() -> None:
    """What is imported by now stays: looking through it cost every test of the window half a second."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _folders_of_our_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the tests out of the user's data; builds are content-addressed, so all tests share one cache.

    `SAGE_TEST_CACHE_DIR` keeps it for the next run, as `make test` does. The warm judge of that cache serves
    them all, and ends with them.
    """
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    os.environ["SAGE_DATA_DIR"] = str(base / "data")
    os.environ["SAGE_CACHE_DIR"] = os.environ.get("SAGE_TEST_CACHE_DIR") or str(base / "cache")
    os.environ.setdefault("SAGE_KEEP_JUDGE_S", "60")  # for keepers of other caches, which nobody ends
    yield
    from remote.hosts.local_keeper import end_keepers

    end_keepers(Path(os.environ["SAGE_CACHE_DIR"]))


@pytest.fixture(scope="session")
def build_cache(_folders_of_our_own: None) -> Path:
    """The build cache of this test run."""
    return Path(os.environ["SAGE_CACHE_DIR"])
