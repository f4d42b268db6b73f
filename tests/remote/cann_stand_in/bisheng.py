"""`bisheng` of the stand-in: compiles `<<<...>>>` sources for the CPU twin, links programs and libraries."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from remote.judge.run import ChildGroup
from remote.judge.twin_runtime import KERNEL_FLAGS, Twin
from tests.remote.cann_stand_in import HERE, ROOT
from tests.remote.no_sandbox import without_sandbox

_LAUNCH = re.compile(r"(\w+)<<<([^,]+),[^>]*>>>\((.*?)\);")


def main(arguments: list[str]) -> int:
    sandbox = without_sandbox(Path(os.environ["STAND_IN_CACHE"]))
    twin = Twin(ROOT / "resources" / "twin", sandbox.store, sandbox.compiler, sandbox)
    target = arguments[arguments.index("-o") + 1]
    if "-c" in arguments:
        return _compile(twin, arguments, Path(arguments[-1]), target)
    objects = [word for word in arguments if word.endswith(".o")]
    runtime = str(twin.runtime(twin.snapshot(), "device.cpp", ChildGroup("stand-in")))
    acl = [f"-L{os.environ['ASCEND_HOME_PATH']}/lib64", "-lnnopbase", "-pthread"]
    if "-shared" not in arguments:
        return _run([twin.compiler.path, *objects, runtime, "-o", target, *acl])
    program = f"{Path(target).resolve()}.program"
    bridge, count = str(HERE / "bridge.cpp"), Path(f"{objects[0]}.count").read_text()
    library = [
        f"-DBRIDGE_LIBRARY={count}",
        f'-DBRIDGE_PROGRAM="{program}"',
        "-shared",
        "-fPIC",
    ]
    return _run(
        [
            twin.compiler.path,
            "-std=c++17",
            bridge,
            *objects,
            runtime,
            "-o",
            program,
            *acl,
        ]
    ) or _run([twin.compiler.path, "-std=c++17", *library, bridge, "-o", target, *acl])


def _compile(twin: Twin, arguments: list[str], source: Path, target: str) -> int:
    text = source.read_text()
    launch = _LAUNCH.search(text)
    if launch is None:
        sys.stderr.write(f"{source}: error: nothing is launched\n")
        return 1
    Path(f"{target}.count").write_text(str(launch[3].count(",") + 1))
    changed = _LAUNCH.sub(r"stand_in::start(\2, {\3}, [=] { \1(\3); });", text)
    made = Path(f"{target}.cpp")
    made.write_text(f'#include "{HERE / "start.h"}"\n{changed}')
    given = [word for word in arguments if word.startswith(("-I", "-D"))]
    snapshot = twin.snapshot()
    flags = [*twin.compiler.compile_flags(), *KERNEL_FLAGS]
    headers = twin.precompiled(snapshot, "kernel", ChildGroup("stand-in"))
    return _run(
        [
            twin.compiler.path,
            *flags,
            *headers.flags,
            *given,
            f"-I{source.parent}",
            f"-I{HERE / 'include'}",
            *twin.flags(snapshot),
            "-c",
            str(made),
            "-o",
            target,
        ]
    )


def _run(command: list[str]) -> int:
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
