"""`build.sh` of the stand-in: compiles with the CPU twin and packs the result like an operator package."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from core.operators.spec import snake_case
from remote.judge.building import builder as building
from remote.judge.building.builder import Builder, Signature
from remote.judge.building.built_program import Programs
from remote.judge.building.twin_runtime import Twin
from remote.judge.job import Operator
from remote.judge.json_records import read
from remote.judge.processes.children import ChildGroup
from tests.remote.cann_stand_in import HERE, ROOT
from tests.remote.cann_stand_in.library import header_of, library_of
from tests.remote.no_sandbox import without_sandbox

_DTYPES = {"float": "float32", "fp16": "float16", "bf16": "bfloat16"}
_RUN = """\
into="${{2#--install-path=}}/vendors/{vendor}"
mkdir -p "$into" && cp -R "{package}/." "$into"
"""


def main() -> int:
    interface = (
        json.loads(Path("interface.json").read_text())
        if Path("interface.json").exists()
        else (
            json.loads(Path("../interface.json").read_text())[
                0
            ]  # a project that msopgen did not make
        )
    )
    presets = json.loads(Path("CMakePresets.json").read_text())["configurePresets"][0][
        "cacheVariables"
    ]
    operator = _operator(interface)
    files = {
        str(path): path.read_text()
        for folder in ("op_host", "op_kernel")
        for path in sorted(Path(folder).rglob("*"))
        if path.suffix in (".cpp", ".h", ".hpp") and path.is_file()
    }
    signatures = _signatures(operator)
    sandbox = without_sandbox(
        Path(os.environ["STAND_IN_CACHE"])
    )  # it runs in one already
    twin = Twin(ROOT / "resources" / "twin", sandbox.store, sandbox.compiler, sandbox)
    building.screen = lambda _hosts, _kernels: ""  # CANN refuses no object
    builder, children = Builder(twin, sandbox.store, workers=2), ChildGroup("stand-in")
    twin.prepare(children, 2)  # what a judge prepares at this moment is waited for
    built = builder.build(_described(operator), files, signatures, children)
    sys.stdout.write(built.report.log)
    if not built.report.ok:
        sys.stdout.write(built.report.log or built.report.cause)
        sys.stdout.write("\ngmake: *** [Makefile:293: binary] Error 2\n")
        sys.stdout.write("CPack Error: Error when generating package: opp\n")
        return 1
    programs = [(signature, built.programs[signature]) for signature in signatures]
    _pack(operator, programs, presets["vendor_name"]["value"])
    return 0


def _operator(interface: dict[str, Any]) -> dict[str, Any]:
    def tensors(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            {
                "name": row["name"],
                "dtypes": [_DTYPES.get(kind, kind) for kind in row["type"]],
                "is_list": row["param_type"] == "dynamic",
            }
            for row in rows
        ]

    return {
        "name": interface["op"],
        "snake": snake_case(interface["op"]),
        "inputs": tensors(interface["input_desc"]),
        "outputs": tensors(interface["output_desc"]),
        "attributes": interface.get("attr", []),
    }


def _described(operator: dict[str, Any]) -> Operator:
    names = ("name", "snake", "inputs", "outputs")
    more = {
        "attributes": [],
        "rule": "catalogue",
        "lacks": {},
        "digest": "",
        "reference_source": "",
    }
    return read(Operator, {name: operator[name] for name in names} | more)


def _signatures(operator: dict[str, Any]) -> list[Signature]:
    columns = len(operator["inputs"][0]["dtypes"])
    return list(
        dict.fromkeys(
            Signature(
                *(
                    tuple(
                        (tensor["name"], tensor["dtypes"][column])
                        for tensor in operator[side]
                    )
                    for side in ("inputs", "outputs")
                )
            )
            for column in range(columns)
        )
    )


def _pack(
    operator: dict[str, Any], programs: list[tuple[Signature, Programs]], vendor: str
) -> None:
    package = Path("build_out", "package").resolve()
    shutil.rmtree(package, ignore_errors=True)
    for folder in ("op_api/lib", "op_api/include", "op_impl/tiling", "op_impl/kernel"):
        (package / folder).mkdir(parents=True)
    (package / "op_api" / "include" / f"aclnn_{operator['snake']}.h").write_text(
        header_of(operator)
    )
    source = package / "library.cpp"
    source.write_text(library_of(operator, programs))
    home = os.environ["ASCEND_HOME_PATH"]
    subprocess.run(
        [
            "g++",
            "-shared",
            "-fPIC",
            "-O1",
            "-std=c++17",
            "-I",
            HERE,
            "-o",
            package / "op_api/lib/libcust_opapi.so",
            source,
            f"-L{home}/lib64",
            "-lnnopbase",
        ],
        check=True,
    )
    (package / "op_impl" / "tiling" / "libcust_opmaster_rt2.0.so").touch()
    for number, _ in enumerate(programs):
        (package / "op_impl" / "kernel" / f"{operator['name']}_{number:032x}.o").touch()
    run = Path("build_out", "custom_opp_stand_in.run")
    run.write_text(_RUN.format(vendor=vendor, package=package))


if __name__ == "__main__":
    sys.exit(main())
