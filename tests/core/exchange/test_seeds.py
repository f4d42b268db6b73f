"""The cold-start bank is complete, honest and can be found by the errors it is about."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.curation.curator import Curator
from core.engine.beginning import experience_of
from core.engine.shipped import demonstration
from core.errors import InvalidInput
from core.exchange.seeds import SeedReport, add_seeds, cold_start_bank, read_seeds
from core.memory.records import Origin
from core.memory.retrieval.retriever import Retriever
from core.memory.screening import screen
from core.memory.store import MemoryStore


def test_bank_is_large_complete_and_clean() -> None:
    bank = cold_start_bank()
    assert len(bank) >= 60
    for uid, seed in bank:
        assert seed.error_message, uid
        assert seed.summary, uid
        assert seed.source, uid
        assert seed.code_diff.wrong_code, uid
        assert seed.code_diff.correct_code, uid
        assert screen(seed) == "", uid
        assert len(seed.title) <= 120, uid
    assert len({seed.title for _, seed in bank}) == len(bank)


def test_every_seed_is_found_by_its_own_error(store: MemoryStore) -> None:
    bank = cold_start_bank()
    assert add_seeds(store, bank).new == len(bank)
    assert add_seeds(store, bank).new == 0
    retriever = Retriever(store.workspace)
    first = [
        retriever.retrieve(seed.error_message, k=3)[0].uid == uid for uid, seed in bank
    ]
    assert sum(first) >= 0.95 * len(bank)


REAL = (  # lines of build and run logs as tools write them -> the seed that is about it
    (
        "x.cpp:39:50: error: cast between floating and unsigned integer variable is not allowed",
        "0010",
    ),
    ("error: use of undeclared identifier 'sqrtf'; did you mean 'sqrt'?", "0011"),
    ("ld.lld: error: undefined symbol: expf", "0011"),
    ("error: no matching function for call to 'exp'", "0150"),
    (
        "error: no member named 'EVENT_ID0' in namespace 'AscendC'; did you mean simply 'EVENT_ID0'?",
        "0013",
    ),
    (
        "'this' argument to member function 'SetValue' has type 'const GlobalTensor<float>'",
        "0115",
    ),
    ("error: no matching member function for call to 'Get'", "0148"),
    ("error: unknown type name 'DTYPE_PACKEDPARAMS'", "0109"),
    (
        "kernel entry `foo' not implement in `foo.cpp', please check whether the function name",
        "0012",
    ),
    (
        "error: cannot convert 'const gert::StorageShape*' to 'const gert::Shape*'",
        "0008",
    ),
    ("error: 'const struct gert::Shape' has no member named 'GetOriginShape'", "0008"),
    (
        "error: 'class optiling::XTilingData' has no member named 'set_totalPlanes'",
        "0023",
    ),
    (
        "op_proto.h:16:8: error: redefinition of 'class ge::op::X' FATAL_ERROR,get op name failed",
        "0108",
    ),
    ("fatal error: log/ops_log.h: No such file or directory", "0142"),
    (
        "fatal error: avg_pool2d_skill_custom_tiling.h: No such file or directory",
        "0141",
    ),
    ("error: no matching function for call to 'DataCopyPad'", "0001"),
    ("candidate template ignored: deduced conflicting types for parameter 'T'", "0007"),
    ("error: out of jump/jumpc imm range", "0111"),
    ("half precision operation is not allowed in aicore function", "0114"),
    ("opbuild ops error: Invalid socVersion ascend910_93 of xxx", "0146"),
    ("cannot bind non-const lvalue reference ConvertTypes", "0143"),
    (
        "aclnnXCustom or aclnnXCustomGetWorkspaceSize not in libopapi.so, or libopapi.sonot found.",
        "0144",
    ),
    ("AclNN_Runtime_Error(EZ9903): OP tiling_funcs NULL", "0145"),
    ("Op has no infershape func, opType: MatMulV2", "0147"),
    ("AclNN_Inner_Error(EZ9999): Xxx do tiling failed, ret is -1.", "0106"),
    ("errorStr: VEC instruction error: the ub address out of bounds.", "0121"),
    (
        "errorStr: The UB address accessed by the VEC instruction is not aligned.",
        "0020",
    ),
    ("errorStr: CCU instruction address check error.", "0149"),
    ("errorStr: The write address of the MTE instruction is out of range.", "0122"),
    (
        "aclrtEventElapsedTime execution failed, reason=event recorder null, error code is 507000",
        "0126",
    ),
    ("CPack Error: Error when generating package: opp", "0120"),
)


def test_a_real_message_finds_what_is_known_about_it(store: MemoryStore) -> None:
    add_seeds(store, cold_start_bank())
    retriever = Retriever(store.workspace)
    found = {
        message: [hit.uid for hit in retriever.retrieve(message, k=3)]
        for message, _ in REAL
    }
    assert [
        message for message, seed in REAL if f"seed-{seed}" not in found[message]
    ] == []
    first = sum(found[message][0] == f"seed-{seed}" for message, seed in REAL)
    assert first >= 0.9 * len(REAL)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[[item]\n", "file"),
        ('[[item]]\nuid = "a"\ntitle = "t"\ntype = "x"\n', "category"),
        (
            '[[item]]\nuid = "a"\ntitle = "t"\ntype = "x"\ncategory = "c"\ncolour = "red"\n',
            "colour",
        ),
        ('[[item]]\nuid = "a"\ntitle = " "\ntype = "x"\ncategory = "c"\n', "title"),
        ('[[item]]\nuid = "a"\ntitle = "t"\ntype = "x"\ncategory = "c"\n' * 2, "twice"),
    ],
)
def test_a_bank_with_a_fault_is_refused_with_its_place(
    tmp_path: Path, text: str, problem: str
) -> None:
    (tmp_path / "bank.toml").write_text(text)
    with pytest.raises(InvalidInput, match=problem):
        read_seeds(tmp_path)


def test_seeds_that_are_there_stay_and_those_that_differ_are_named(
    store: MemoryStore,
) -> None:
    """The bank of the demonstration is a part of the whole bank, read from another file."""
    bank = cold_start_bank()
    for uid, seed in bank[:3]:
        store.add_item(seed, origin=Origin.SEED, uid=uid)
    Curator(store).edit(bank[0][0], replace(bank[0][1], title="Mine"))
    store.add_item(
        replace(bank[3][1], title="Another"), origin=Origin.SEED, uid=bank[3][0]
    )
    report = add_seeds(store, bank)
    assert report == SeedReport(new=len(bank) - 4, differing=(bank[0][0], bank[3][0]))
    assert store.item(bank[0][0]).title == "Mine"
    assert store.item(bank[3][0]).title == "Another"


def test_the_demonstration_holds_the_very_seeds_of_the_bank(store: MemoryStore) -> None:
    """Another spelling of the same scope once made them strangers: seeding a demo workspace failed."""
    for item in demonstration().items:
        store.add_item(experience_of(item), origin=Origin.SEED, uid=item.uid)
    assert add_seeds(store, cold_start_bank()).differing == ()


def test_a_bank_saved_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    text = '[[item]]\nuid = "a"\ntitle = "t"\ntype = "x"\ncategory = "c"\n'
    (tmp_path / "bank.toml").write_text(text, encoding="utf-8-sig")
    assert [uid for uid, _ in read_seeds(tmp_path)] == ["a"]


def test_a_folder_without_a_bank_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="has no "):
        read_seeds(tmp_path)
