"""The generated translation unit that joins a candidate's kernel with the runner, for one dtype signature.

It does what CANN's build does around a kernel: brings in the tiling structs that op_host declares, defines
DTYPE_* and friends from the operator definition, includes the unmodified kernel source, and calls its entry.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from core.cpp_text import code_in_place
from core.host_code import without_host_functions
from remote.judge.building.source_text import (
    code_below,
    leans_on_empty_assert,
)
from remote.judge.building.tiling_source import registered_class, tiling_lines
from remote.judge.inputs.case_data import ACL_TYPES
from remote.judge.job import Names

GLUE_NAME = "launch_glue.cpp"
FORMATS = '#include "twin/kernel_formats.h"'  # CANN's own headers define them
KERNEL_SIDE = "-DTWIN_KERNEL_SIDE=1"

# Dtype -> its type in C++, and its name in CANN behind DT_.
C_NAMES = {
    "float32": ("float", "FLOAT"),
    "float16": ("half", "FLOAT16"),
    "bfloat16": ("bfloat16_t", "BF16"),
    "int8": ("int8_t", "INT8"),
    "int16": ("int16_t", "INT16"),
    "int32": ("int32_t", "INT32"),
    "int64": ("int64_t", "INT64"),
    "uint8": ("uint8_t", "UINT8"),
    "uint16": ("uint16_t", "UINT16"),
    "uint32": ("uint32_t", "UINT32"),
    "uint64": ("uint64_t", "UINT64"),
    "bool": ("bool", "BOOL"),
    "float64": ("double", "DOUBLE"),
    "complex64": ("complex64", "COMPLEX64"),
}
_TYPE_NUMBERS = {
    **{C_NAMES[dtype][1]: number for dtype, number in ACL_TYPES.items()},
    "INT4": 29,
}
_NO_TYPE = 28  # DT_UNDEFINED
_PARAMETER = re.compile(r"\b(Input|Output)\s*\(\s*\"(\w+)\"\s*\)")
_API_INCLUDE = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*[\"<](?:aclnn|opdev|aclnn_kernels|aclnnop|level0)/",
    re.MULTILINE,
)
_HOST_SIDE = re.compile(r"\b(?:OP_ADD|IMPL_OP\w*|TilingContext|InferShapeContext)\b")
_ENTRY = re.compile(
    r"__global__\s{1,99}(?:__\w{1,99}__\s{1,99}){0,9}void\s{1,99}(\w+)\s*\("
)
_TEMPLATE_LIST = re.compile(r"\btemplate\s*<([^<>;{}]*)>")
_TEMPLATE = re.compile(rf"(?:{_TEMPLATE_LIST.pattern}\s*)+(?:inline\s+)?$")
_MOST_TEMPLATE = 8192  # characters of the lists before an entry
_DIRECTIVE = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
_DECLARED_ARGUMENT = re.compile(
    r"\bASCENDC_TPL_(?:DTYPE|DATATYPE|FORMAT|UINT|BOOL|KERNEL_TYPE)_DECL\s*\("
)
_SHAPE_BY_KERNEL = re.compile(r"\.\s*OutputShapeDependOnCompute\s*\(")
_ENTRY_LINKAGE = re.compile(
    r"extern\s{1,99}\"C\"(?=\s{1,99}(?:__\w{1,99}__\s{1,99}){0,9}__global__)"
)
_CORE_CONDITION = re.compile(
    r"^([ \t]*#[ \t]*(?:el)?if[ \t]+)\(?[ \t]*__CCE_AICORE__[ \t]*==[ \t]*(\d+)[ \t]*\)?[ \t]*$",
    re.MULTILINE,
)
_CORE = "220"  # of the processors that are judged
_CPU_DEBUG = re.compile(
    r"^([ \t]*#[ \t]*)if(n?)def[ \t]+__CCE_KT_TEST__[ \t]*$", re.MULTILINE
)
_DEVICE_FUNCTION = re.compile(
    r"(?:(?<![\w)\]])|(?<=__forceinline__))\[\s*(?:host\s*,\s*)?aicore\s*(?:,\s*host\s*)?\]"
)
# What a kernel asks for at compile time: the device's build compiles cube and vector code by themselves.
_CONSTANT_CORE_TYPE = re.compile(r"\b(?:g_coreType|__DAV_(?:C220_)?(?:CUBE|VEC)__)\b")
_BOTH_SIDES = re.compile(r"\b(?:KERNEL_TYPE|ASCENDC_TPL)_MIX_AI[CV]_1_[12]\b")
VECTOR_SIDE, CUBE_SIDE = "vector", "cube"


def kernel_text(text: str) -> str:
    """A kernel's file as compilers of this machine can read it, lines and columns kept.

    Blanked out are functions that launch a kernel, which never reach the device, `extern "C"` before kernel
    entries, whose names may be C functions', and `[aicore]` or `[host, aicore]` on functions.
    """
    text = without_host_functions(text)
    for pattern in (_ENTRY_LINKAGE, _DEVICE_FUNCTION):
        text = pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return text


def _device_code(text: str) -> str:
    """As `code_in_place`, without branches for other processors' cores and for CANN's own CPU debugging."""

    def decided(condition: re.Match[str]) -> str:
        return f"{condition[1]}{int(condition[2] == _CORE)}"

    code = _CORE_CONDITION.sub(decided, code_in_place(text))
    device = _CPU_DEBUG.sub(
        lambda branch: f"{branch[1]}if {int(bool(branch[2]))}", code
    )
    return code_in_place(device)


def core_sides(files: Mapping[str, str]) -> tuple[str, ...]:
    """The sides a kernel is compiled for: vector and cube by themselves, or ("",), one program for both.

    The device's build compiles a kernel for each type of core. That shows where the type is a constant
    (`g_coreType` as a template argument, `__DAV_C220_CUBE__`); other kernels are compiled once, in half the
    time.
    """
    constant = any(map(_CONSTANT_CORE_TYPE.search, code_below(files, "op_kernel")))
    return (VECTOR_SIDE, CUBE_SIDE) if constant else ("",)


def declares_both_sides(files: Mapping[str, str]) -> bool:
    """Whether the kernel says that its blocks run on cube and on vector cores."""
    return any(map(_BOTH_SIDES.search, code_below(files, "op_kernel")))


def interface_names(
    files: Mapping[str, str], kind: str, given: Sequence[str]
) -> list[str]:
    """Names of the inputs (or outputs) as the candidate's OpDef spells them; DTYPE_* macros follow those.

    Args:
        files: The candidate.
        kind: `Input` or `Output`.
        given: Names in the operator's interface, used when the definition cannot be read.
    """
    pairs = (
        pair
        for text in code_below(files, "op_host")
        for pair in _PARAMETER.findall(text)
    )
    names = list(
        dict.fromkeys(name for found_kind, name in pairs if found_kind == kind)
    )
    return names if len(names) == len(given) else list(given)


def _as_defined(
    files: Mapping[str, str], kind: str, tensors: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """(name, dtype) of tensors under the names of the OpDef."""
    names = interface_names(files, kind, [name for name, _ in tensors])
    return [(name, dtype) for name, (_, dtype) in zip(names, tensors, strict=True)]


def host_sources(files: Mapping[str, str]) -> list[str]:
    """Paths of the sources that make up the host side: definition, shape inference and tiling.

    Projects keep the aclnn interface beside them; it belongs to another library, which the twin replaces.
    """
    sources = {
        path: code_in_place(text)
        for path, text in files.items()
        if path.startswith("op_host/") and path.endswith((".cpp", ".cc"))
    }
    return sorted(
        path
        for path, code in sources.items()
        if not _API_INCLUDE.search(code) or _HOST_SIDE.search(code)
    )


def declared_outputs(
    files: Mapping[str, str],
    inputs: Sequence[str],
    outputs: Sequence[str],
    parameters: int,
) -> list[str]:
    """Outputs that get a kernel argument: an operator may change an input without declaring it as output.

    Args:
        files: The candidate.
        inputs: Names of the inputs in the interface.
        outputs: Names of its outputs.
        parameters: What the kernel entry takes; tells when the definition is made by macros.
    """
    parameters_of = {
        kind
        for text in code_below(files, "op_host")
        for kind, _ in _PARAMETER.findall(text)
    }
    own = [name for name in outputs if name not in inputs]
    if parameters_of == {"Input"} or (
        not parameters_of and parameters == len(inputs) + len(own) + 2
    ):
        return own
    return list(outputs)


def decides_shapes(files: Mapping[str, str]) -> bool:
    """Whether the kernel writes the shape of an output itself and gets one more address for that.

    Source: Ascend C guide, output shape depending on computation.
    """
    return any(map(_SHAPE_BY_KERNEL.search, code_below(files, "op_host")))


def kernel_source(files: Mapping[str, str], snake: str) -> str | None:
    """Path of the kernel source CANN would compile: `op_kernel/<snake>.cpp`, or the only .cpp there."""
    usual_path = f"op_kernel/{snake}.cpp"
    if usual_path in files:
        return usual_path
    sources = [
        path
        for path in files
        if path.startswith("op_kernel/") and path.endswith(".cpp")
    ]
    return sources[0] if len(sources) == 1 else None


def entry_name(text: str, snake: str) -> str:
    """Name of the kernel entry: `snake`, or the same name with its underscores elsewhere (W_V2 for WV2)."""
    names = _ENTRY.findall(code_in_place(text))
    alike = [name for name in names if name.replace("_", "") == snake.replace("_", "")]
    return snake if snake in names or not alike else alike[0]


def entry_template(files: Mapping[str, str], kernel: str, entry: str) -> list[str]:
    """Template parameters of the kernel entry, whose instances tiling keys stand for; none for a function.

    Where the preprocessor chooses between several lists, the one as long as ASCENDC_TPL_ARGS_DECL counts.
    """
    code = _device_code(files[kernel])
    declared = {
        len(_DECLARED_ARGUMENT.findall(text)) for text in code_below(files, "op_kernel")
    }
    for match in _ENTRY.finditer(code):
        if match[1] == entry:
            near = code[max(0, match.start() - _MOST_TEMPLATE) : match.start()]
            before = _TEMPLATE.search(_DIRECTIVE.sub("", near))
            lists = _TEMPLATE_LIST.findall(before[0]) if before else []
            choices = [
                [part.strip() for part in given.split(",") if part.strip()]
                for given in lists
            ]
            return next(
                (one for one in choices if len(one) in declared),
                choices[-1] if choices else [],
            )
    return []


def entry_parameters(text: str, snake: str) -> int:
    """Number of parameters of the kernel entry, workspace and tiling included; 0 when there is no entry."""
    code = _device_code(text)
    for match in _ENTRY.finditer(code):
        if match[1] == entry_name(text, snake):
            return code[match.end() : code.find(")", match.end())].count(",") + 1
    return 0


def kernel_prelude(
    operator: Names,
    files: Mapping[str, str],
    kernel: str,
    inputs: Sequence[tuple[str, str]],
    outputs: Sequence[tuple[str, str]],
) -> list[str]:
    """Lines that bring in tiling structs, DTYPE_* and friends, and the kernel source.

    Args:
        operator: What it is called.
        files: The candidate.
        kernel: Path of its kernel source.
        inputs: (name, dtype) in call order; the macros follow the OpDef's spelling of the names.
        outputs: The same for outputs.
    """
    inputs = _as_defined(files, "Input", inputs)
    outputs = _as_defined(files, "Output", outputs)
    tiling = tiling_lines(files, operator.name)
    listed = ", ".join(
        f"{parameter}={dtype}" for parameter, dtype in (*inputs, *outputs)
    )
    lines = [f"// Generated: {operator.snake} for {listed}", *tiling]
    lines += [f'#line {len(lines) + 2} "{GLUE_NAME}"', "namespace optiling {}"]
    if any(line.startswith('#include "op_host/') for line in tiling):
        lines.append("using namespace optiling;")
    if tiling and registered_class(files, operator.name):
        lines.append(f"using TwinTilingData = twin_tiling_of_{operator.name};")
    for type_name, number in _TYPE_NUMBERS.items():
        lines += [
            f"#ifndef DT_{type_name}",
            f"#define DT_{type_name} {number}",
            "#endif",
        ]
    lines.append(FORMATS)
    for parameter, dtype in (*inputs, *outputs):
        c_type, type_name = C_NAMES[dtype]
        upper = parameter.upper()
        for macro, value in (
            ("DTYPE", c_type),
            ("ORIG_DTYPE", f"DT_{type_name}"),
            ("FORMAT", "FORMAT_ND"),
        ):
            lines += [f"#undef {macro}_{upper}", f"#define {macro}_{upper} {value}"]
    input_parameters = {parameter for parameter, _ in inputs}
    for parameter, dtype in outputs:
        if parameter in input_parameters:  # changed in place: CANN calls it a reference
            lines.append(f"#define DTYPE_{parameter.upper()}_REF {C_NAMES[dtype][0]}")
    if any(
        leans_on_empty_assert(text)
        for path, text in files.items()
        if path.startswith("op_kernel/")
    ):
        lines += ["#undef ASSERT", "#define ASSERT(...)"]
    return [*lines, f'#include "{kernel}"']


def kernel_glue(
    operator: Names,
    files: Mapping[str, str],
    kernel: str,
    inputs: Sequence[tuple[str, str]],
    outputs: Sequence[tuple[str, str]],
    side: str = "",
) -> str:
    """Text of the unit for one of `core_sides`; the other arguments are those of `kernel_prelude`."""
    entry = entry_name(files[kernel], operator.snake)
    count = len(inputs) + len(outputs) + decides_shapes(files) + 2
    passed = f"({', '.join(f'pointers[{index}]' for index in range(count))});"
    call, instances = f"::{entry}{passed}", []
    parameters = entry_template(files, kernel, entry)
    if parameters:
        call = f'call_template<KernelInstances>("{entry}", pointers);'
        types = [_type_numbers(tensors) for tensors in (inputs, outputs)]
        instances = _instances(entry, parameters, passed, *types)
    before = ['#include "twin/launch.h"']
    define = [
        "LaunchReport launch_candidate(const Launch& launch, uint8_t* const* pointers) {",
        f"    return run_kernel(launch, [pointers] {{ {call} }});",
        "}",
    ]
    if side:
        before += [f"#define TWIN_{side.upper()}_SIDE 1", '#include "twin/core_side.h"']
        define = [f"void launch_{side}_side(uint8_t* const* pointers) {{ {call} }}"]
    lines = kernel_prelude(operator, files, kernel, inputs, outputs)
    lines += ['#include "twin/template_launch.h"'] if instances else []
    return "\n".join(
        [
            *before,
            *lines,
            "namespace twin {",
            *instances,
            *define,
            "}  // namespace twin",
            "",
        ]
    )


def _type_numbers(tensors: Sequence[tuple[str, str]]) -> str:
    """Numbers of the tensors' data types, as the elements of an array that is never empty."""
    numbers = [_TYPE_NUMBERS[C_NAMES[dtype][1]] for _, dtype in tensors]
    return ", ".join(map(str, [*numbers, _NO_TYPE]))


def _instances(
    entry: str, parameters: Sequence[str], passed: str, inputs: str, outputs: str
) -> list[str]:
    """A struct whose `call<index>` calls one instance of a template entry."""
    arguments = [
        f"typename TypeOfArgument<made.values[{at}]>::Type"
        if re.match(r"(?:typename|class)\b", parameter)
        else f"TemplateValue{{made.values[{at}]}}"
        for at, parameter in enumerate(parameters)
    ]
    return [
        f"constexpr uint32_t kInputTypes[] = {{{inputs}}};",
        f"constexpr uint32_t kOutputTypes[] = {{{outputs}}};",
        "struct KernelInstances {",
        "    static constexpr const auto& declared() { return twin_declared(LastTurn{}); }",
        "    static constexpr const auto& selected() { return twin_selected(LastTurn{}); }",
        "    static constexpr size_t count() { return instance_count(declared(), selected()); }",
        "    static constexpr TemplateInstance instance(size_t index) {",
        "        return template_instance(declared(), selected(), index);",
        "    }",
        "    static constexpr TensorTypes tensor_types() {",
        f"        return {{kInputTypes, {inputs.count(',')}, kOutputTypes, {outputs.count(',')}}};",
        "    }",
        "    template <size_t index>",
        "    static void call(uint8_t* const* pointers) {",
        "        constexpr auto made = instance(index);",
        f"        ::{entry}<{', '.join(arguments)}>{passed}",
        "    }",
        "};",
    ]
