"""Which CANN and processor a host has: read from its files, remembered, told to the search of memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.evaluation.integrity.verdict import Guarded
from remote.evaluator import HostEvaluator
from remote.hosts import LocalHost
from remote.hosts.versions import Versions
from remote.judge.cann.environment import version_named
from remote.pool import PoolEvaluator
from remote.toolchains.cann import CannToolchain
from remote.toolchains.twin import TwinToolchain
from tests.remote.helpers import TWIN


@pytest.mark.parametrize(
    ("text", "version"),
    [
        (
            "package_name=Ascend-cann-toolkit\nversion=8.1.RC1\ninnerversion=V100R001C21",
            "8.1.RC1",
        ),
        ("# version: 1.0\nruntime_running_version=[7.7.0.1.238:8.1.RC1]\n", "8.1.RC1"),
        ("Version=7.7.0.1.238\nversion_dir=8.1.RC1\n", "8.1.RC1"),
        ("Version=8.5.0\nversion_dir=cann-8.5.0\n", "8.5.0"),
        ("Version=25.5.1\nascendhal_version=7.35.23\n", "25.5.1"),
        ("no number here", ""),
    ],
)
def test_the_version_people_speak_of_is_read(text: str, version: str) -> None:
    assert version_named(text) == version
    assert version_named(" ".join(text.split())) == version, (
        "the job server sends it as one line"
    )


def test_a_host_is_remembered_across_starts_and_what_is_not_seen_stays(
    tmp_path: Path,
) -> None:
    file = tmp_path / "host_versions.json"
    Versions("lab", file).note(
        {"cann": "8.5.1", "soc": "Ascend910B3", "driver": "25.5.1"}
    )
    Versions("lab", file).note({"cann": "9.0.0", "soc": ""})
    assert (Versions("lab", file).cann, Versions("lab", file).soc) == (
        "9.0.0",
        "Ascend910B3",
    )
    assert Versions("other", file).cann == ""
    file.write_text("{ damaged")
    lame = Versions("lab", file)
    assert lame.cann == "", "searching memory goes on without it"
    lame.note({"cann": "8.5.1"})
    assert lame.cann == "8.5.1"


def test_only_toolchains_of_cann_speak_of_it_and_hosts_must_agree(
    tmp_path: Path,
) -> None:
    def on(version: str, soc: str = "") -> HostEvaluator:
        seen = Versions("local")
        seen.note({"cann": version, "soc": "Ascend910B3"})
        return HostEvaluator(LocalHost(1), CannToolchain(tmp_path, soc), versions=seen)

    guarded = Guarded(on("8.5.1"))
    assert (guarded.cann, guarded.soc) == ("8.5.1", "Ascend910B3")
    assert on("8.5.1", "Ascend910B1").soc == "Ascend910B1", "what is built for counts"
    assert HostEvaluator(LocalHost(1), TwinToolchain(tmp_path, TWIN)).cann == ""
    assert PoolEvaluator([on("8.5.1"), on("8.5.1")]).cann == "8.5.1"
    assert PoolEvaluator([on("8.5.1"), on("8.3.RC1")]).cann == ""
