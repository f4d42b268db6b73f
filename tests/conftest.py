"""Shared by all tests: no display, no user folders, one build cache for the whole run."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Nobody's keys are asked for, nor does each of some hundred commands look for the keyring of a desktop.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
# Several tests run at a time. More threads in each would wait for one another, spinning.
os.environ["OMP_NUM_THREADS"] = "1"
HERE = Path(__file__).parent
LONGEST = HERE / "longest_files.txt"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first: one that is begun last leaves its worker alone with it.

    `longest_files.txt` holds those of ten seconds and more; `--no-loadscope-reorder` keeps workers to it.
    """
    place = {
        HERE / name: number for number, name in enumerate(LONGEST.read_text().split())
    }
    if moved := [path for path in place if not path.is_file()]:
        raise pytest.UsageError(
            f"{LONGEST} names {moved[0]}, which is not there. Correct the list."
        )
    items.sort(key=lambda item: place.get(item.path, len(place)))


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Nothing is garbage while tests are collected, and looking for it takes a sixth of the time."""
    gc.disable()
    try:
        _import_our_share(session.config)
        return (yield)
    finally:
        gc.enable()


def _import_our_share(config: pytest.Config) -> None:
    """Import every n-th test file first, of n workers: the byte code each leaves is there for the others.

    All collect all files in the same order. In a fresh clone every worker made all byte code by itself,
    assertions included, which took 15 seconds of each.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if not worker or config.args != config.getini("testpaths"):
        return
    files = sorted(HERE.rglob("test_*.py"))
    for file in files[
        int(worker.removeprefix("gw")) :: int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    ]:
        with contextlib.suppress(
            Exception, pytest.skip.Exception
        ):  # told when the file is collected
            importlib.import_module(
                ".".join(("tests", *file.relative_to(HERE).with_suffix("").parts))
            )


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
    os.environ["SAGE_CACHE_DIR"] = os.environ.get("SAGE_TEST_CACHE_DIR") or str(
        base / "cache"
    )
    os.environ.setdefault(
        "SAGE_KEEP_JUDGE_S", "60"
    )  # for keepers of other caches, which nobody ends
    yield
    from remote.hosts.local_keeper import end_keepers

    end_keepers(Path(os.environ["SAGE_CACHE_DIR"]))


@pytest.fixture(scope="session")
def build_cache(_folders_of_our_own: None) -> Path:
    """The build cache of this test run."""
    return Path(os.environ["SAGE_CACHE_DIR"])
