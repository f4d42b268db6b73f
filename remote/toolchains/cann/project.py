"""From operator and candidate to an operator package: the files to write and the commands to run.

Every step is plain shell, so what the toolchain does and what `--dry-run` shows are one thing. Nothing is
installed for other users: the package goes into the work folder, and only the judge's process sees it, by
ASCEND_CUSTOM_OPP_PATH. Whether a build succeeded is decided by its products: exit codes of build.sh are not
dependable in all versions of CANN.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from core.errors import InvalidInput
from core.evaluation.records import Candidate
from core.operators.interface_json import interface_json
from core.operators.spec import OperatorSpec
from core.text import Text
from remote.diagnostics.families import Stage
from remote.hosts.soc import Soc, soc_or_found, soc_script
from remote.judge.job import Step

NPUKERNELBENCH = "NPUKernelBench"
CHECKOUT = "SAGE_NPUKERNELBENCH"  # on the host: a checkout of the benchmark, whose project is then used
SET_ENV_PLACES = (
    "/usr/local/Ascend/ascend-toolkit/set_env.sh",
    "/usr/local/Ascend/cann/set_env.sh",
    "$HOME/Ascend/ascend-toolkit/set_env.sh",
    "$HOME/Ascend/cann/set_env.sh",
)
BUILD_LIMIT_S = 400.0
# op_host is C++17 for the twin and the check against CANN's headers; msopgen's project says C++11.
_HOST_STANDARD = (
    "find project '(' -name '*.cmake' -o -name CMakeLists.txt ')' "
    "-exec sed -i -E 's/-std=c[+][+]1[14]/-std=c++17/g' '{}' +"
)
_PRESETS = """\
import json, os, sys

path, unit, vendor = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    presets = json.load(file)
variables = presets["configurePresets"][0]["cacheVariables"]
chosen = {
    "ASCEND_COMPUTE_UNIT": unit,
    "ASCEND_CANN_PACKAGE_PATH": os.environ["ASCEND_HOME_PATH"],
    "vendor_name": vendor,
}
for name, value in chosen.items():
    variables[name] = {"type": "STRING", **variables.get(name, {}), "value": value}
with open(path, "w", encoding="utf-8") as file:
    json.dump(presets, file, indent=4)
"""


@dataclass(frozen=True)
class BuildPlan:
    """Everything a build does.

    Attributes:
        operator: OpDef name.
        soc: Processor it is built for.
        vendor: Name of the package's folder below `opp/vendors`, one for each candidate.
        folder: Work folder on the host. Short: CANN's own file names are long.
        set_env: `set_env.sh` to source; empty to look for it in `SET_ENV_PLACES`.
        files: Relative path -> text of the files to write first.
        steps: Commands in order; the build ends with the first that fails.
    """

    operator: str
    soc: Soc
    vendor: str
    folder: str
    set_env: str
    files: Mapping[str, str]
    steps: tuple[Step, ...]

    @property
    def package(self) -> str:
        """Where the built package lies, below `folder`."""
        return f"opp/vendors/{self.vendor}"

    @property
    def run_environment(self) -> Mapping[str, str]:
        """Variables of the process that runs the operator, to be set before it loads torch_npu."""
        package = f"{self.folder}/{self.package}"
        return {
            "ASCEND_CUSTOM_OPP_PATH": package,
            "LD_LIBRARY_PATH": f"{package}/op_api/lib:$LD_LIBRARY_PATH",
        }


def plan_build(
    spec: OperatorSpec,
    candidate: Candidate,
    soc: str,
    root: str,
    set_env: str = "",
    options: str = "",
) -> BuildPlan:
    """The plan that turns `candidate` into an operator package.

    Args:
        spec: The operator; its name is the OpDef's.
        candidate: Sources below `op_host/` and `op_kernel/`.
        soc: SoC version of the card; empty for the one the host finds.
        root: Folder on the host that holds the work folders.
        set_env: CANN's `set_env.sh`; empty to look for it.
        options: Compiler options for the kernel that a diagnostic needs, e.g. `-sanitizer`.

    Raises:
        InvalidInput: `soc` is no SoC version.
    """
    processor = soc_or_found(soc)
    short = candidate.digest[:12]
    vendor = f"sage_{short}"
    return BuildPlan(
        spec.name,
        processor,
        vendor,
        f"{root.rstrip('/')}/{short}",
        set_env,
        plan_files([(spec, candidate)]),
        plan_steps([spec], processor, vendor, options),
    )


def plan_files(kernels: Sequence[tuple[OperatorSpec, Candidate]]) -> dict[str, str]:
    """What is written before a package of `kernels` is built: relative path -> text.

    Raises:
        InvalidInput: Two of them have a file of the same name that is not the same.
    """
    files = {"set_presets.py": _PRESETS}
    specs = [spec for spec, _ in kernels]
    names = _interfaces(specs)
    files |= {f"ours/{path}": text for path, text in own_project(specs).items()}
    owners: dict[str, str] = {}
    for (spec, candidate), name in zip(kernels, names, strict=True):
        files[name] = interface_json(spec, spec.name, candidate.files)
        for path, text in candidate.files.items():
            owner = owners.setdefault(path, spec.name)
            if files.setdefault(f"candidate/{path}", text) != text:
                problem = "is another file in the kernel of {owner}"
                remedy = "Export them apart, or rename the file in one of them."
                raise InvalidInput(spec.name, path, Text(problem, owner=owner), remedy)
    return files


def _interfaces(specs: Sequence[OperatorSpec]) -> list[str]:
    """Names of the files msopgen reads, one for each operator: appended to a project one after another."""
    if len(specs) == 1:
        return ["interface.json"]
    return [f"interface_{spec.snake_name}.json" for spec in specs]


def own_project(specs: Sequence[OperatorSpec]) -> dict[str, str]:
    """Our CMake project for hosts without msopgen, in msopgen's layout: relative path -> text."""
    sources = "\n".join(
        f"npu_op_kernel_sources(ascendc_kernels OP_TYPE {spec.name} KERNEL_FILE {spec.snake_name}.cpp)"
        for spec in specs
    )
    files = template("cann_project")
    return {path: text.replace("@SOURCES@", sources) for path, text in files.items()}


@cache
def template(name: str) -> Mapping[str, str]:
    """A folder of `resources/templates`: relative path -> text."""
    root = Path(str(resources.files("resources") / "templates" / name))
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def _make_project(specs: Sequence[OperatorSpec], soc: Soc) -> str:
    """Shell text that makes `project/` and notes in `project.from` what it was made by."""
    generated = tuple(
        f"msopgen gen -i {name} -c ai_core-{soc.name} -lan cpp -out project{mode} < /dev/null"
        for name, mode in zip(
            # `-m 1` appends an operator to a project that is there.
            _interfaces(specs),
            ("", *[" -m 1"] * (len(specs) - 1)),
            strict=True,
        )
    )
    makers: list[tuple[str, str, tuple[str, ...]]] = [
        ("command -v msopgen > /dev/null", "msopgen", generated)
    ]
    if {spec.benchmark for spec in specs} == {NPUKERNELBENCH}:
        # The benchmark's script also compiles a Python extension. The judge has a binding of its own.
        nothing = "'cmake_minimum_required(VERSION 3.16)\\nproject(nothing NONE)\\n'"
        copied = (
            f'cp -R "${CHECKOUT}/libs/common_include/msopgen" project',
            "mkdir -p project/validation",
            f"printf {nothing} > project/validation/CMakeLists.txt",
        )
        makers.insert(0, (f'[ -n "${CHECKOUT}" ]', NPUKERNELBENCH, copied))
    lines = ["rm -rf project opp"]
    for number, (condition, name, commands) in enumerate(makers):
        body = "\n    ".join((*commands, f"echo {name} > project.from"))
        lines.append(f"{'el' if number else ''}if {condition}; then\n    {body}")
    lines.append("else\n    cp -R ours project\n    echo ours > project.from\nfi")
    lines.append(_HOST_STANDARD)
    return "\n".join(lines)


def plan_steps(
    specs: Sequence[OperatorSpec], soc: Soc, vendor: str, options: str = ""
) -> tuple[Step, ...]:
    """The commands that make a package of operators from the files of `plan_files`, for one processor.

    Args:
        specs: The operators.
        soc: The processor.
        vendor: Name of the package's folder below `opp/vendors`.
        options: Compiler options for the kernels.
    """
    package = f"opp/vendors/{vendor}"
    products = [
        ("aclnn library", f"{package}/op_api/lib", "libcust_opapi.so"),
        ("tiling library", package, "libcust_opmaster_rt2.0.so"),
    ]
    for spec in specs:
        header = f"aclnn_{spec.snake_name}.h"
        products.append(("header of the aclnn function", package, header))
        products.append(("kernel binary", package, f"{spec.name}_*.o"))
    checks = "\n".join(
        f'[ -n "$(find {folder} -name {shlex.quote(name)} 2>/dev/null | head -1)" ] || '
        f'{{ echo "No {what} was built ({name})." >&2; exit 1; }}'
        for what, folder, name in products
    )
    instrument = (
        # CANN 8.3 brought new functions; projects made before it call the old one.
        Step(
            "compile the kernel for the tool",
            Stage.PROJECT,
            "call='add_ops_compile_options('\n"
            "if grep -q npu_op_kernel_library project/op_kernel/CMakeLists.txt; then "
            "call='npu_op_kernel_options(ascendc_kernels '; fi\n"
            f'sed -i "1i ${{call}}ALL OPTIONS {options})" project/op_kernel/CMakeLists.txt',
        ),
    )
    return (
        Step("make the project", Stage.PROJECT, _make_project(specs, soc)),
        Step(
            "put the candidate in",
            Stage.PROJECT,
            "rm -f project/op_host/*.cpp project/op_host/*.h project/op_kernel/*.cpp && "
            "cp -R candidate/op_host candidate/op_kernel project/",
        ),
        Step(
            "choose the compute unit",
            Stage.PROJECT,
            f"python3 set_presets.py project/CMakePresets.json {soc.compute_unit} {vendor}",
        ),
        *(instrument if options else ()),
        Step(
            "build the package",
            Stage.KERNEL,
            "(cd project && env -u ASCEND_CUSTOM_OPP_PATH bash build.sh < /dev/null) 2>&1 | tee build.log",
            BUILD_LIMIT_S,
        ),
        Step(
            "install it for this process only",
            Stage.PACKAGE,
            '[ -n "$(ls project/build_out/custom_opp_*.run 2>/dev/null)" ] || '
            '{ echo "build.sh made no package; build.log says why." >&2; exit 1; }\n'
            'bash project/build_out/custom_opp_*.run --quiet --install-path="$PWD/opp" < /dev/null',
        ),
        Step("look for the products", Stage.PACKAGE, checks),
    )


def dry_run(plan: BuildPlan) -> str:
    """The plan as one bash script that can be pasted into a terminal of the host and does exactly the same.

    Nothing is run. Texts are written by quoted here-documents, so they arrive unchanged. The commands stand
    in parentheses: a step that fails must not close the terminal it was pasted into.
    """
    asks_host = plan.soc.name.startswith("$")
    chip = "the processor of the host" if asks_host else plan.soc.name
    folder = _quoted(plan.folder)
    folders = [
        _quoted(path)
        for path in sorted({path.rpartition("/")[0] for path in plan.files} - {""})
    ]
    heading = (
        f"# {plan.operator} for {chip}: what is run there to build this candidate.\n"
        "# Paste it into a terminal of the host, or save it and run it with bash.\n"
        f"# Nothing outside {plan.folder} is changed.\n"
    )
    parts = [
        f"{heading}(\nset -e",
        environment_script(plan.set_env),
        soc_script("" if asks_host else plan.soc.name),
        f"mkdir -p {folder} && cd {folder}",
    ]
    parts += ["mkdir -p " + " ".join(folders)] if folders else []
    parts += [_write_command(path, text) for path, text in sorted(plan.files.items())]
    parts += [
        f"# {step.name} (at most {step.limit_s:.0f} s)\n{step.command}"
        for step in plan.steps
    ]
    aclnn = f"aclnn{plan.operator}"
    parts.append(
        "# Then a process of the judge (python -m remote.judge.cann.child), on a card that was borrowed, calls\n"
        f"# {aclnn}GetWorkspaceSize and {aclnn} of this package for every case.\n)"
    )
    exports = "\n".join(
        f'export {name}="{value}"' for name, value in plan.run_environment.items()
    )
    # Asked for afterwards: bash forgets `set -e` in parentheses that `&&` follows.
    parts[-1] += "\n[ $? = 0 ] && {"
    parts.append(
        f"# for the process that runs it, before it loads torch_npu\n{exports}\n}}"
    )
    return "\n\n".join(parts) + "\n"


def _quoted(path: str) -> str:
    """A path as one word of the shell; `$HOME` at its beginning is the user's home there."""
    home, _, rest = path.partition("/")
    return f'"$HOME"/{shlex.quote(rest)}' if home == "$HOME" else shlex.quote(path)


def environment_script(set_env: str = "") -> str:
    """Shell text that sources `set_env`, or the first `set_env.sh` found in `SET_ENV_PLACES`."""
    if set_env:
        return f"source {shlex.quote(set_env)}"
    places = " ".join(f'"{place}"' for place in SET_ENV_PLACES)
    return (
        f'for place in {places}; do\n    if [ -z "$ASCEND_HOME_PATH" ] && [ -f "$place" ]; then '
        'source "$place"; fi\ndone\n'
        '[ -n "$ASCEND_HOME_PATH" ] || '
        '{ echo "set_env.sh: No such file. Name the set_env.sh of CANN." >&2; exit 1; }'
    )


def _write_command(path: str, text: str) -> str:
    end = "SAGE_END"
    while end in text:
        end += "_"
    closed = text if text.endswith("\n") else f"{text}\n"
    return f"cat > {shlex.quote(path)} <<'{end}'\n{closed}{end}"
