"""The store of what the judge made: once, found again, whole or made again."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from remote.judge.faults import EnvironmentFault
from remote.judge.machine.artifacts import ArtifactStore, digest_of


def write(folder: Path) -> dict[str, Any]:
    (folder / "data").write_text("right")
    return {"n": 1}


def test_a_product_is_made_once_and_found_again(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path)
    first = store.get("ab12", write)
    again = ArtifactStore(tmp_path).get(
        "ab12", lambda _folder: pytest.fail("made twice")
    )
    assert (first.made_now, again.made_now, again.record) == (True, False, {"n": 1})
    assert again.path("data").read_text() == "right"


@pytest.mark.parametrize("damage", ["truncate", "change", "lose", "record"])
def test_a_damaged_product_is_made_again(tmp_path: Path, damage: str) -> None:
    folder = ArtifactStore(tmp_path).get("ab12", write).folder
    if damage == "lose":
        (folder / "data").unlink()
    else:
        name, text = (
            ("record.json", "{")
            if damage == "record"
            else ("data", {"truncate": "rig", "change": "wrong"}[damage])
        )
        (folder / name).write_text(text)
    again = ArtifactStore(tmp_path).get("ab12", write)
    assert again.made_now
    assert again.path("data").read_text() == "right"


def test_a_failed_make_leaves_nothing(tmp_path: Path) -> None:
    def fail(folder: Path) -> dict[str, Any]:
        (folder / "half").write_text("x")
        raise EnvironmentFault("no")

    store = ArtifactStore(tmp_path)
    with pytest.raises(EnvironmentFault):
        store.get("ab12", fail)
    assert store.find("ab12") is None
    assert not list((tmp_path / "partial").iterdir())


def test_threads_that_want_one_product_make_it_once(tmp_path: Path) -> None:
    store, made = ArtifactStore(tmp_path), []
    gate = threading.Barrier(4)

    def work() -> None:
        gate.wait()
        store.get("ab12", lambda folder: made.append(1) or write(folder))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]


def test_the_products_unused_for_longest_go_first(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path)
    for age, key in enumerate(["aa", "bb", "cc"]):
        folder = store.get(
            key, lambda folder: (folder / "data").write_bytes(b"x" * 1000) and {}
        ).folder
        os.utime(folder / "record.json", (1000 + age, 1000 + age))
    assert (
        ArtifactStore(tmp_path).find("aa") is not None
    )  # using it makes it the youngest
    assert store.collect(2000) == 1000
    assert [store.find(key) is not None for key in ("aa", "bb", "cc")] == [
        True,
        False,
        True,
    ]


def test_no_two_lists_of_parts_share_a_digest() -> None:
    assert digest_of("ab", "c") != digest_of("a", "bc")
    assert digest_of("ab") != digest_of("ab", "")
