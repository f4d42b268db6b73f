"""What a name, a part of one or words find, and a user's own folder of documentation."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from core.errors import InvalidInput, SageError
from core.references import folders as folders_module
from core.references.builtin import builtin_references, references_with
from core.references.folders import UserFolders
from core.references.look_up import LONGEST_ANSWER, References
from core.references.sections import Section, sections_of

PAGE = """# Widget\uff08GM to UB\uff09<a name="x"></a>

## Prototype<a name="y"></a>

<!-- npu="910b" -->
```cpp
# not a heading
void Widget(int turns);
```

## Notes
Turns the widget about; never more than eight times.
"""


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "api").mkdir(parents=True)
    (folder / "api" / "Widget.md").write_text(PAGE, encoding="utf-8")
    (folder / "guide.md").write_text(
        "# Guide\n\nHow to flatten a gadget by hand.\n", encoding="utf-8"
    )
    return folder


@pytest.fixture
def added(tmp_path: Path) -> UserFolders:
    return UserFolders(tmp_path / "ours")


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("DataCopyPad", "DataCopyPad"),
        ("AscendC::DataCopyPad", "DataCopyPad"),
        ("datacopypad", "DataCopyPad"),
        ("Add", "Add"),
        ("add", "Add"),
        ("TCubeTiling", "TCubeTiling"),
        ("SetBlockDim", "gert::TilingContext"),
        ("IterateAll", "Matmul"),
        ("KERNEL_TYPE_MIX_AIC_1_2", "KernelMetaType"),
    ],
)
def test_a_name_gives_the_entry_about_it(query: str, first: str) -> None:
    found = builtin_references().find(query)
    assert first in found.sections[0].names


@pytest.mark.parametrize(
    ("part", "whole"),
    [("UserWorkspace", "GetUserWorkspace"), ("GatherMas", "GatherMask")],
)
def test_a_part_of_a_name_gives_the_names_that_hold_it(part: str, whole: str) -> None:
    found = builtin_references().find(part)
    assert whole in {*found.sections[0].names, *found.neighbours}
    assert not found.exact


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("copy with padding", "DataCopyPad"),
        ("prefix sum", "CumSum"),
        ("natural logarithm", "Ln"),
        ("sort pairs of value and index", "Sort32"),
        ("array field of tiling data", "TILING_DATA_FIELD_DEF_ARR"),
        ("attributes of the operator on the host", "gert::RuntimeAttrs"),
        ("wait for all cores", "SyncAll"),
        ("scratch in global memory", "GetUserWorkspace"),
        ("value dependent input", "skeleton_picked_scale"),
        ("bool mask of bytes select", "SelectWithBytesMask"),
        (
            "two matmul objects transposed tiling workspace vector",
            "skeleton_larger_product",
        ),
        ("output shape depends on the data", "skeleton_until_negative"),
    ],
)
def test_words_find_what_they_describe(words: str, wanted: str) -> None:
    assert wanted in {
        name
        for section in builtin_references().find(words).sections
        for name in section.names
    }


def test_an_answer_is_bounded_and_says_where_the_rest_is() -> None:
    long = Section("Long", ("Long",), "word " * 50_000, "book/long.md")
    answer = References([long]).answer(["Long", "Long"])
    assert len(answer) < LONGEST_ANSWER + 500
    assert "more characters; look up Long alone]" in answer
    chinese = References([Section("宽", ("Wide",), "搬运数据" * 5_000, "book/wide.md")])
    assert len(chinese.answer(["Wide"])) < LONGEST_ANSWER / 2


def test_a_long_answer_gets_what_short_ones_leave() -> None:
    answer = builtin_references().answer(["Add", "skeleton_middle_of_row", "Sub"])
    assert "more characters" not in answer
    assert "outPlace.FreeTensor(found);" in answer


def test_nothing_found_is_said() -> None:
    assert "Nothing was found" in builtin_references().answer(["zzqqxx flurb"])


def test_sections_keep_code_whole_and_lose_anchors_and_comments() -> None:
    found = list(sections_of(PAGE, "docs/api/Widget.md"))
    assert [(entry.title, entry.names) for entry in found] == [
        ("Widget\uff08GM to UB\uff09 \u203a Prototype", ("Widget", "Prototype")),
        ("Widget\uff08GM to UB\uff09 \u203a Notes", ("Widget", "Notes")),
    ]
    assert found[0].text == "```cpp\n# not a heading\nvoid Widget(int turns);\n```"


def test_a_folder_is_found_by_name_and_words_and_quoted_with_its_source(
    docs: Path, added: UserFolders
) -> None:
    done = added.add(docs)
    assert (done.files, done.read) == (2, 2)
    known = references_with(added)
    text = known.find("Widget").text
    assert "void Widget(int turns);" in text
    assert "*docs/api/Widget.md*" in text
    assert str(docs) not in known.answer(["Widget", "flatten a gadget"]), (
        "no path of this machine in a prompt"
    )
    assert known.find("flatten a gadget").sections[0].source == "docs/guide.md"
    assert known.find("DataCopyPad").sections[0].source == "built-in reference"


def test_only_what_changed_is_read_again(docs: Path, added: UserFolders) -> None:
    added.add(docs)
    digest = references_with(added).digest
    assert [done.read for done in added.refresh()] == [0]
    page = docs / "guide.md"
    page.write_text("# Guide\n\nHow to fold a gizmo by hand, now.\n", encoding="utf-8")
    os.utime(page, ns=(time.time_ns(), time.time_ns() + 1))
    assert [done.read for done in added.refresh()] == [1]
    assert references_with(added).digest != digest
    page.unlink()
    assert [(done.files, done.read) for done in added.refresh()] == [(1, 0)]
    assert references_with(added).find("fold a gizmo").sections == ()


def test_a_removed_folder_leaves_nothing(
    docs: Path, added: UserFolders, tmp_path: Path
) -> None:
    added.add(docs)
    added.remove(docs)
    assert references_with(added).digest == builtin_references().digest
    assert [path.name for path in (tmp_path / "ours").iterdir()] == ["folders.json"]
    assert (docs / "guide.md").exists()
    with pytest.raises(SageError, match="was not added"):
        added.remove(docs)


def test_a_damaged_index_is_made_again(
    docs: Path, added: UserFolders, tmp_path: Path
) -> None:
    added.add(docs)
    [index] = [
        path for path in (tmp_path / "ours").iterdir() if path.name != "folders.json"
    ]
    index.write_text("{", encoding="utf-8")
    assert [(done.files, done.read) for done in added.refresh()] == [(2, 2)]


def test_only_plain_files_within_bounds_are_read(
    docs: Path, added: UserFolders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text(
        "# Secret\n\nwhat is elsewhere stays elsewhere\n", encoding="utf-8"
    )
    (docs / "link.md").symlink_to(secret)
    (docs / "up").symlink_to(tmp_path)
    os.mkfifo(docs / "pipe.md")
    (docs / "latin.md").write_bytes(b"# Caf\xe9\n\nnot UTF-8 at all\n")
    (docs / "big.md").write_text(
        "x" * (folders_module.LARGEST_FILE + 1), encoding="utf-8"
    )
    done = added.add(docs)
    assert done.files == 2
    assert sorted(
        problem.split(":")[0].rpartition("/")[2] for problem in done.left_out
    ) == [
        "big.md",
        "latin.md",
    ]
    assert "stays elsewhere" not in references_with(added).find("elsewhere stays").text
    monkeypatch.setattr(folders_module, "MOST_FILES", 1)
    with pytest.raises(InvalidInput, match="more than 1 Markdown files"):
        added.refresh()


@pytest.mark.parametrize("name", ["missing", "empty", "a file"])
def test_what_is_no_folder_of_markdown_is_refused(
    tmp_path: Path, added: UserFolders, name: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "a file").write_text("x", encoding="utf-8")
    with pytest.raises(InvalidInput):
        added.add(tmp_path / name)
    assert added.folders() == ()
