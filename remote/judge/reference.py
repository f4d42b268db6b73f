"""Inputs and reference results of a test case, computed once and kept on disk."""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import json
import math
import os
import shutil
import sys
import threading
import uuid
import zlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from . import stand_in
from .case_data import CaseData, Room, TensorFile
from .faults import EnvironmentFault, UnavailableCase
from .inputs import DTYPES
from .results import compute, dtype_name, round_results
from .task import case_inputs, described, run_row

FORMAT = 7
_KEEP_BYTES = 256 << 20


def tensor_bytes(tensor: torch.Tensor) -> bytes:
    """Memory of a contiguous tensor."""
    flat = tensor.contiguous()
    size = flat.numel() * flat.element_size()
    # Not string_at: its size is a C int, which ends at 2 GiB.
    return (ctypes.c_char * size).from_address(flat.data_ptr()).raw if size else b""


def tensor_from(data: bytes, dtype: str, shape: Sequence[int]) -> torch.Tensor:
    """A tensor from its memory."""
    if not data:
        return torch.empty(tuple(shape), dtype=DTYPES[dtype])
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).view(DTYPES[dtype]).reshape(tuple(shape))


class References:
    """Makes the data of cases, remembering them in memory (up to 256 MiB) and in `folder`.

    Safe to use from several threads; entries are placed atomically, a damaged one is made again.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.RLock()
        self._modules: dict[str, ModuleType] = {}
        self._recent: OrderedDict[str, CaseData] = OrderedDict()
        self._recent_bytes = 0

    def module(self, operator: Mapping[str, Any]) -> ModuleType:
        """Import the operator's reference file.

        Raises:
            EnvironmentFault: It cannot be imported or defines no `reference`.
        """
        digest = str(operator["digest"])
        with self._lock:
            if digest not in self._modules:
                self._modules[digest] = self._import(digest, operator)
            return self._modules[digest]

    def _import(self, digest: str, operator: Mapping[str, Any]) -> ModuleType:
        path = self._folder / "operators" / digest[:32] / "reference.py"
        _place_text(path, operator["reference_source"])
        for name, text in (operator.get("files") or {}).items():
            _place_text(path.parent / name, text)
        if operator.get("files"):
            stand_in.install()
        spec = importlib.util.spec_from_file_location(f"sage_reference_{digest[:16]}", path)
        if spec is None or spec.loader is None:
            raise EnvironmentFault(f"The reference of {operator['name']} cannot be loaded from {path}.")
        module = importlib.util.module_from_spec(spec)
        before = sys.dont_write_bytecode
        sys.dont_write_bytecode = True
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            raise EnvironmentFault(
                f"The reference of {operator['name']} cannot be loaded: {error!r}."
            ) from error
        finally:
            sys.dont_write_bytecode = before
        if not any(callable(getattr(module, name, None)) for name in ("reference", "evaluate")):
            raise EnvironmentFault(f"The reference of {operator['name']} defines no function `reference`.")
        return module

    def collect(self, most_bytes: int) -> int:
        """Remove the cases unused for longest until the rest fits `most_bytes`; returns the bytes freed."""
        kept = []
        for record in (self._folder / "cases").glob("??/*/case.json"):
            try:
                size = sum(path.stat().st_size for path in record.parent.iterdir())
                kept.append((record.stat().st_mtime, size, record.parent))
            except OSError:
                continue
        total, freed = sum(size for _, size, _ in kept), 0
        for _, size, folder in sorted(kept):
            if total - freed <= most_bytes:
                break
            shutil.rmtree(folder, ignore_errors=True)
            freed += size
        return freed

    def case(self, operator: Mapping[str, Any], case: Mapping[str, Any]) -> CaseData:
        """Inputs and expected outputs of `case`, from memory, disk or made now.

        Raises:
            EnvironmentFault: The reference fails or returns something else than its interface.
        """
        key = _case_key(operator, case)
        with self._lock:
            known = self._recent.get(key)
            if known is not None and all(f.path.exists() for files in known.inputs.values() for f in files):
                self._recent.move_to_end(key)
                return known
        folder = self._folder / "cases" / key[:2] / key
        data = _read_case(folder)
        if data is None:
            shutil.rmtree(folder, ignore_errors=True)
            self._make(folder, operator, case)
            data = _read_case(folder)
            if data is None:
                raise EnvironmentFault(
                    f"The reference of {operator['name']}/{case['name']} cannot be kept in {folder}."
                )
        self._remember(key, data)
        return data

    def described(self, operator: Mapping[str, Any], case: Mapping[str, Any]) -> Mapping[str, Any]:
        """A case with known inputs and attributes: those of an imported task exist only once its code ran."""
        if not case.get("row"):
            return case
        data = self.case(operator, case)
        return described(case, data.inputs, data.attributes)

    def _remember(self, key: str, data: CaseData) -> None:
        with self._lock:
            self._recent[key] = data
            self._recent_bytes = sum(
                sum(file.bytes for file in kept.outputs) for kept in self._recent.values()
            )
            while self._recent_bytes > _KEEP_BYTES and len(self._recent) > 1:
                _, dropped = self._recent.popitem(last=False)
                self._recent_bytes -= sum(file.bytes for file in dropped.outputs)

    def _make(self, folder: Path, operator: Mapping[str, Any], case: Mapping[str, Any]) -> None:
        module = self.module(operator)
        attributes = dict(case.get("attributes") or {})
        rooms: Sequence[Mapping[str, Any] | None] = [None] * len(operator["outputs"])
        own: Sequence[tuple[int, torch.Tensor]] = ()
        if case.get("row"):
            with self._lock:  # the code of an imported task draws from torch's global generator
                row = run_row(operator, case, module)
            inputs, attributes, rooms = row.inputs, row.attributes, row.rooms
            _check_attributes(attributes)
            results = round_results(operator, inputs, attributes, row.results, module)
            own = row.results if operator["rule"] == "checker" else ()
        else:
            inputs = case_inputs(operator, case, module)
            results = compute(operator, case, inputs, module)
        partial = folder.parent / f".{folder.name}.{uuid.uuid4().hex}"
        partial.mkdir(parents=True)
        try:
            rows: dict[str, Any] = {"format": FORMAT, "inputs": {}, "outputs": [], "attributes": attributes}
            for name, tensors in inputs.items():
                rows["inputs"][name] = [
                    _write(
                        partial,
                        f"in-{name}-{index}.bin",
                        tensor.storage,
                        tensor.logical.shape,
                        tensor.strides,
                    )
                    for index, tensor in enumerate(tensors)
                ]
            for place, (index, result) in enumerate(results):
                written = _write(partial, f"out-{place}.bin", result, result.shape, ())
                name = operator["outputs"][index]["name"]
                rows["outputs"].append({**written, "name": name, "room": _room(rooms[index], result)})
            rows["returned"] = [
                _write(partial, f"own-{place}.bin", returned, returned.shape, ())
                if _is_wider(returned, result)
                else None
                for place, ((_, result), (_, returned)) in enumerate(zip(results, own, strict=False))
            ]
            (partial / "case.json").write_text(json.dumps(rows))
            _place_folder(partial, folder)
        finally:
            shutil.rmtree(partial, ignore_errors=True)


def _check_attributes(attributes: Mapping[str, Any]) -> None:
    """Raise `UnavailableCase` for a value that can neither be kept nor handed over, e.g. a torch.dtype."""
    for name, value in attributes.items():
        try:
            json.dumps(value)
        except TypeError:
            raise UnavailableCase(
                f"the attribute {name} is {value!r}, a value no attribute of an operator has"
            ) from None


def _case_key(operator: Mapping[str, Any], case: Mapping[str, Any]) -> str:
    parts = ("name", "row", "seed") if case.get("row") else ("name", "inputs", "attributes", "seed")
    content = {name: case.get(name) for name in parts}
    text = json.dumps(
        [FORMAT, torch.__version__, operator["digest"], operator["name"], content],
        sort_keys=True,
        default=str,
    )
    return hashlib.sha256(text.encode()).hexdigest()[:40]


def _write(
    folder: Path, name: str, storage: torch.Tensor, shape: Sequence[int], strides: Sequence[int]
) -> dict[str, Any]:
    data = b"" if storage.is_meta else tensor_bytes(storage)
    name = "" if storage.is_meta else name
    if name:
        (folder / name).write_bytes(data)
    return {
        "file": name, "dtype": dtype_name(storage.dtype), "shape": list(shape), "strides": list(strides),
        "bytes": len(data), "crc": zlib.crc32(data),
    }  # fmt: skip


def _is_wider(returned: torch.Tensor, result: torch.Tensor) -> bool:
    """Whether a task's code returned an output in another dtype than the kernel's, one that can be kept."""
    return not result.is_meta and returned.dtype != result.dtype and returned.dtype in DTYPES.values()


def _room(room: Mapping[str, Any] | None, result: torch.Tensor) -> Mapping[str, Any] | None:
    """`room` when the result fits into it, else None."""
    return room if room is not None and math.prod(room["shape"]) >= result.numel() else None


def _read_case(folder: Path) -> CaseData | None:
    """The data kept in `folder`; None when there is none or it is damaged."""
    try:
        rows = json.loads((folder / "case.json").read_text())
        if rows["format"] != FORMAT:
            return None
        inputs = {
            name: tuple(_file(folder, name, row) for row in given) for name, given in rows["inputs"].items()
        }
        outputs = tuple(_file(folder, row["name"], row) for row in rows["outputs"])
        expected: list[torch.Tensor | None] = []
        for row, file in zip((*_rows(rows), *rows["outputs"]), (*_files(inputs), *outputs), strict=True):
            data = file.path.read_bytes() if row["file"] else b""
            if len(data) != row["bytes"] or zlib.crc32(data) != row["crc"]:
                return None
            if not row["file"]:
                expected.append(None)
            elif file in outputs:
                expected.append(tensor_from(data, file.dtype, file.shape))
        returned = list(expected)
        for place, row in enumerate(rows["returned"]):
            if row is not None:
                data = (folder / row["file"]).read_bytes()
                if len(data) != row["bytes"] or zlib.crc32(data) != row["crc"]:
                    return None
                returned[place] = tensor_from(data, row["dtype"], tuple(row["shape"]))
        os.utime(folder / "case.json")  # the time of last use, for collect()
    except (FileNotFoundError, KeyError, ValueError, TypeError):
        return None
    return CaseData(inputs, outputs, tuple(expected), rows["attributes"], tuple(returned))


def _rows(rows: Mapping[str, Any]) -> list[Any]:
    return [row for given in rows["inputs"].values() for row in given]


def _files(inputs: Mapping[str, tuple[TensorFile, ...]]) -> list[TensorFile]:
    return [file for given in inputs.values() for file in given]


def _file(folder: Path, name: str, row: Mapping[str, Any]) -> TensorFile:
    room = row.get("room")
    return TensorFile(
        name=name, dtype=row["dtype"], shape=tuple(row["shape"]), strides=tuple(row["strides"]),
        path=folder / row["file"], bytes=row["bytes"],
        room=Room(tuple(room["shape"]), bool(room["zero"])) if room else None,
    )  # fmt: skip


def _place_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    partial.write_text(text)
    partial.replace(path)


def _place_folder(partial: Path, folder: Path) -> None:
    """Move a finished folder to its place; when another process was first, its equal result stays."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.rename(partial, folder)  # noqa: PTH104 - Path.rename has the same semantics but hides the race
    except OSError:
        if not folder.exists():
            raise
