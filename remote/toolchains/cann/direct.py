"""Kernels without an operator package: launched with `<<<...>>>` on a device, or in CANN's own two modes.

The candidate is the same as for a package. What CANN's build makes around it is generated: one source for
each dtype signature, which includes the unmodified kernel and launches its entry, and a program that calls
the unmodified tiling function. Both are built in seconds, with the CMake language `ASC`, where CANN has it.

Sources: Ascend C guide, "kernel launch", "CPU-domain debugging", "testing tiling functions".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.errors import InvalidInput
from core.evaluation.records import Candidate
from core.operators.spec import OperatorSpec
from remote.diagnostics.families import Stage
from remote.judge import job
from remote.judge.glue import (
    decides_shapes,
    declared_outputs,
    entry_name,
    entry_parameters,
    interface_names,
    kernel_prelude,
    kernel_source,
)
from remote.judge.source_text import code_below
from remote.toolchains.cann.project import BUILD_LIMIT_S, BuildPlan, template
from remote.toolchains.cann.soc import soc_or_found

_VALUE_DEPEND = re.compile(
    r"\bInput\s*\(\s*\"(\w+)\"\s*\)(?:(?!\b(?:Input|Output)\s*\(|;).)*\.ValueDepend\b",
    re.DOTALL,
)


_COMPILE_S = 200.0
_CALLS = {
    "npu": "libraries direct/built/liblaunch_N.so are loaded by the process with torch_npu",
    "cpu": "direct/built/launch_N run.txt",
    "sim": "msprof op simulator --soc-version=$SAGE_SOC --output=simulated direct/built/launch_N run.txt",
}


class Mode(StrEnum):
    """Where a kernel that is launched directly runs; the values are those of CMAKE_ASC_RUN_MODE."""

    NPU = "npu"
    CPU = "cpu"
    SIMULATOR = "sim"


@dataclass(frozen=True)
class LaunchPlan:
    """A build plan, and how what it builds is called.

    Attributes:
        build: The plan.
        call: How its products are called.
    """

    build: BuildPlan
    call: job.LaunchPlan


def plan_launch(
    spec: OperatorSpec,
    candidate: Candidate,
    soc: str,
    root: str,
    mode: Mode,
    set_env: str = "",
    options: str = "",
) -> LaunchPlan:
    """The plan that builds `candidate` for direct launch in `mode`; the other arguments as for `plan_build`.

    Raises:
        InvalidInput: `soc` is no SoC version, or the operator decides the shape of an output.
    """
    if decides_shapes(candidate.files):
        problem = (
            "decides the shape of an output, which a direct launch cannot hand over"
        )
        raise InvalidInput(spec.name, "op_host", problem, "Use the toolchain `cann`.")
    processor = soc_or_found(soc)
    pointers = _pointers(spec, candidate)
    signatures = _signatures(spec, pointers)
    short = candidate.digest[:12]
    files = {f"direct/{path}": text for path, text in template("cann_direct").items()}
    files |= {f"candidate/{path}": text for path, text in candidate.files.items()}
    files |= {
        f"direct/launch_{number}.asc": _launch_source(
            spec, candidate, pointers, signature, number
        )
        for number, signature in enumerate(signatures)
    }
    steps = _steps(processor.architecture, mode, len(signatures), options)
    called = (
        "# For each case, described as the heads of direct/tiling.cpp and kernel_side/sage_program.h say:\n"
        f"# ./sage_tiling tiling.txt answer.txt tiling.bin\n# {_CALLS[mode]}"
    )
    folder = f"{root.rstrip('/')}/{short}-{mode}"
    build = BuildPlan(spec.name, processor, "", folder, set_env, files, steps, called)
    return LaunchPlan(
        build, job.LaunchPlan(mode, pointers, signatures, _on_host(spec, candidate))
    )


def _pointers(spec: OperatorSpec, candidate: Candidate) -> tuple[str, ...]:
    """Where each pointer of the launch comes from, in the order of the OpDef."""
    inputs = [tensor.name for tensor in spec.inputs]
    kernel = kernel_source(candidate.files, spec.snake_name)
    taken = entry_parameters(candidate.files[kernel], spec.snake_name) if kernel else 0
    outputs = declared_outputs(
        candidate.files, inputs, [tensor.name for tensor in spec.outputs], taken
    )
    return (
        *(f"input:{name}" for name in inputs),
        *(f"output:{name}" for name in outputs),
    )


def _on_host(spec: OperatorSpec, candidate: Candidate) -> tuple[str, ...]:
    """Inputs that op_host declares with ValueDepend, under their names in the interface."""
    given = [tensor.name for tensor in spec.inputs]
    named = dict(
        zip(interface_names(candidate.files, "Input", given), given, strict=True)
    )
    hosts = code_below(candidate.files, "op_host")
    found = {name for text in hosts for name in _VALUE_DEPEND.findall(text)}
    return tuple(given for name, given in named.items() if name in found)


def _signatures(
    spec: OperatorSpec, pointers: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    """Dtypes of the pointers in each column of the interface.

    Raises:
        InvalidInput: A tensor has none.
    """
    sides: Mapping[str, Mapping[str, Sequence[str]]] = {
        "input": {
            tensor.name: [str(dtype) for dtype in tensor.dtypes]
            for tensor in spec.inputs
        },
        "output": {
            tensor.name: [str(dtype) for dtype in tensor.dtypes]
            for tensor in spec.outputs
        },
    }
    rows = {}
    for pointer in pointers:
        side, _, name = pointer.partition(":")
        rows[pointer] = sides[side][name]
        if not rows[pointer]:
            raise InvalidInput(
                spec.name,
                name,
                "has no dtypes in the interface",
                "Use the toolchain `cann`.",
            )
    return tuple(
        dict.fromkeys(tuple(column.values()) for column in job.dtype_columns(rows))
    )


def _launch_source(
    spec: OperatorSpec,
    candidate: Candidate,
    pointers: Sequence[str],
    signature: Sequence[str],
    number: int,
) -> str:
    """The source that includes the kernel for one signature and launches it."""
    files, snake = candidate.files, spec.snake_name
    kernel = kernel_source(files, snake)
    if kernel is None:
        return f"#error op_kernel/{snake}.cpp is missing: it holds the kernel entry {snake}.\n"
    sides: dict[str, list[tuple[str, str]]] = {"input": [], "output": []}
    for pointer, dtype in zip(pointers, signature, strict=True):
        side, _, name = pointer.partition(":")
        sides[side].append((name, dtype))
    operator, unit = job.Names(spec.name, snake), f"launch_{number}.asc"
    lines = [
        '#include "kernel_operator.h"',
        '#include "sage_kernel.h"',
        *kernel_prelude(operator, files, kernel, sides["input"], sides["output"], unit),
    ]
    count = len(pointers) + 2
    arguments = ", ".join(f"pointers[{place}]" for place in range(count))
    lines += [
        'extern "C" void sage_launch(uint32_t blocks, void* stream, uint8_t* const* pointers)',
        "{",
        f"    {entry_name(files[kernel], snake)}<<<blocks, nullptr, stream>>>({arguments});",
        "}",
        '#include "sage_program.h"',
    ]
    text = "\n".join(lines) + "\n"
    return text.replace("TwinTilingData", "RegisteredTiling").replace(
        "twin_tiling_of_", "tiling_of_"
    )


def _steps(
    architecture: str, mode: Mode, launches: int, options: str
) -> tuple[job.Step, ...]:
    home = '"$ASCEND_HOME_PATH"'
    headers = f"-I{home}/include -I{home}/include/experiment/platform"
    headers += " -Icandidate/op_host -Icandidate/op_kernel"
    abi = "-std=c++17 -fPIC -D_GLIBCXX_USE_CXX11_ABI=0"
    libraries = f"-L{home}/lib64 -Wl,-rpath,{home}/lib64"
    tested = "-ltiling_api -lc_sec -lgraph_base -lregister -lunified_dlog -lplatform"
    name = "lib{}.so" if mode is Mode.NPU else "{}"
    products = [
        f"direct/built/{name.format(f'launch_{number}')}" for number in range(launches)
    ]
    checks = "\n".join(
        f'[ -e {product} ] || {{ echo "No {product} was built." >&2; exit 1; }}'
        for product in products
    )
    flags = f"-DCMAKE_ASC_RUN_MODE={mode} -DCMAKE_ASC_ARCHITECTURES={architecture}"
    chosen = f' "-DSAGE_KERNEL_OPTIONS={";".join(options.split())}"' if options else ""
    return (
        job.Step(
            "compile the tiling function",
            Stage.HOST,
            f"g++ -shared {abi} -DOP_TILING_LIB {headers} $(find candidate/op_host -name '*.cpp') "
            f"-o libsage_tiling.so {libraries} -Wl,--whole-archive -lrt2_registry -Wl,--no-whole-archive "
            "-lexe_graph -lregister -ltiling_api -lplatform",
            _COMPILE_S,
        ),
        job.Step(
            "compile the caller of the tiling function",
            Stage.PROJECT,
            f"g++ {abi} {headers} direct/tiling.cpp -o sage_tiling {libraries} {tested} -ldl -rdynamic",
            _COMPILE_S,
        ),
        job.Step(
            "configure the kernels",
            Stage.PROJECT,
            f'cmake -S direct -B direct/built -G "Unix Makefiles" {flags}{chosen} 2>&1',
        ),
        job.Step(
            "compile the kernels",
            Stage.KERNEL,
            "cmake --build direct/built 2>&1",
            BUILD_LIMIT_S,
        ),
        job.Step("look for the products", Stage.KERNEL, checks),
    )
