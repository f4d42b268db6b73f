"""Headers added from a folder: found by their files, copied once, side by side."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from core.errors import SageError
from remote.headers.kept import KeptHeaders
from tests.remote.headers.stand_in import INSTALLED, VERSION, kept_stand_in

ARCHITECTURE = Path(VERSION) / "aarch64-linux"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A copy of the stand-in that a test may change."""
    return Path(shutil.copytree(INSTALLED, tmp_path / "installed", symlinks=True))


def added(folder: Path, place: Path) -> bool:
    return KeptHeaders(folder).add_from_folder(place, lambda _text: None).is_new


@pytest.mark.parametrize(
    "place",
    [".", "latest", VERSION, f"{VERSION}/aarch64-linux"],
    ids=["all versions", "latest", "version", "architecture"],
)
def test_an_installation_is_found_from_any_of_its_folders(
    place: str, tmp_path: Path
) -> None:
    kept = KeptHeaders(tmp_path / "kept")
    headers = kept.add_from_folder(INSTALLED / place, lambda _text: None).headers
    assert headers.label == f"CANN {VERSION}"
    assert [one.version for one in kept.sets()] == [VERSION]


def test_a_file_that_is_missing_is_named(installed: Path, tmp_path: Path) -> None:
    missing = "include/register/op_def_registry.h"
    (installed / ARCHITECTURE / missing).unlink()
    with pytest.raises(SageError, match=f"{missing} is missing"):
        added(tmp_path / "kept", installed)
    assert not KeptHeaders(tmp_path / "kept").sets()


def test_an_installation_without_version_is_refused(
    installed: Path, tmp_path: Path
) -> None:
    (installed / ARCHITECTURE / "ascend_toolkit_install.info").unlink()
    with pytest.raises(SageError, match="no file says the version"):
        added(tmp_path / "kept", installed)


def test_what_is_here_is_copied_once_and_replaced_when_it_changed(
    installed: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    assert added(kept, installed)
    assert not added(kept, installed)
    with (installed / ARCHITECTURE / "include/register/op_def_registry.h").open(
        "a"
    ) as file:
        file.write("// a patch\n")
    assert added(kept, installed)
    assert len(KeptHeaders(kept).sets()) == 1


def test_versions_lie_side_by_side_and_are_removed_one_by_one(
    installed: Path, tmp_path: Path
) -> None:
    kept = KeptHeaders(tmp_path / "kept")
    kept_stand_in(kept.folder)
    (installed / ARCHITECTURE / "ascend_toolkit_install.info").write_text(
        "version=9.0.T2\n"
    )
    added(kept.folder, installed)
    assert [one.version for one in kept.sets()] == [VERSION, "9.0.T2"]
    kept.remove(VERSION)
    assert [one.version for one in kept.sets()] == ["9.0.T2"]
    with pytest.raises(SageError, match=r"Added: 9\.0\.T2"):
        kept.remove(VERSION)


def test_a_link_becomes_an_include_of_what_it_leads_to(tmp_path: Path) -> None:
    headers = kept_stand_in(tmp_path / "kept")
    linked = headers.folder / "include/tiling/platform/platform_ascendc.h"
    there = "../../../ascendc/include/highlevel_api/tiling/platform/platform_ascendc.h"
    assert linked.read_text() == f'#include "{there}"\n'
    assert (linked.parent / there).is_file()


def test_a_link_that_leads_out_of_the_headers_is_left_out(
    installed: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.h"
    secret.write_text("#define SECRET\n")
    (installed / ARCHITECTURE / "include" / "secret.h").symlink_to(secret)
    kept = KeptHeaders(tmp_path / "kept")
    kept.add_from_folder(installed, lambda _text: None)
    assert not (kept.folder / VERSION / "include" / "secret.h").exists()
