"""Numbers of a launch description that depend on the case: small expressions, translated into C++.

`x.size`, `x.shape[0]`, `x.rank` and `x.width` (bytes of an element) of an input, attributes by name,
`vector_cores`, `cube_cores`, + - * // %, `min`, `max` and `ceil_div`. They are parsed, never executed here.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from core.errors import InvalidInput

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "/",
    ast.Mod: "%",
}
_CORES = ("vector_cores", "cube_cores")
_REMEDY = (
    "There are x.size, x.shape[0], x.rank and x.width of an input x, attributes, vector_cores, cube_cores, "
    "+ - * // %, min, max, ceil_div."
)


@dataclass(frozen=True)
class Names:
    """What an expression may name: inputs in call order, and attributes that are numbers."""

    inputs: tuple[str, ...]
    attributes: tuple[str, ...]


def cpp_value(expression: float | str, names: Names, file: str, field: str) -> str:
    """An expression in C++, as a tiling function computes it.

    Raises:
        InvalidInput: It is none of the known form; names file and field.
    """
    try:
        return _cpp(ast.parse(str(expression), mode="eval").body, names)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise InvalidInput(
            file,
            field,
            "cannot be {given}: {problem}",
            _REMEDY,
            given=repr(expression),
            problem=str(error),
        ) from error


def _cpp(node: ast.expr, names: Names) -> str:
    """C++ of an expression.

    Raises:
        ValueError: Something in it is not of the known form.
    """
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int(number)):
            return f"int64_t({number})"
        case ast.Constant(value=float(number)):
            return repr(number)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return f"(-{_cpp(inner, names)})"
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return f"({_cpp(left, names)} {_OPERATORS[type(op)]} {_cpp(right, names)})"
        case ast.Name(id=name) if name in _CORES:
            return name
        case ast.Name(id=name) if name in names.attributes:
            return f"attribute_{name}"
        case ast.Attribute(value=ast.Name(id=name), attr=what) if name in names.inputs:
            return _of_input(names.inputs.index(name), what)
        case ast.Subscript(
            value=ast.Attribute(value=ast.Name(id=name), attr="shape"),
            slice=ast.Constant(value=int(dim)),
        ) if name in names.inputs and dim >= 0:
            return f"context->GetInputShape({names.inputs.index(name)})->GetStorageShape().GetDim({dim})"
        case ast.Call(
            func=ast.Name(id="ceil_div" | "min" | "max" as name),
            args=[one, other],
            keywords=[],
        ):
            prefix = "" if name == "ceil_div" else "std::"
            kind = "" if name == "ceil_div" else "<int64_t>"
            return f"{prefix}{name}{kind}({_cpp(one, names)}, {_cpp(other, names)})"
    raise ValueError(f"{ast.unparse(node)} is not known")


def _of_input(place: int, what: str) -> str:
    shape = f"context->GetInputShape({place})->GetStorageShape()"
    expressions = {
        "size": f"{shape}.GetShapeSize()",
        "rank": f"int64_t({shape}.GetDimNum())",
        "width": f"int64_t(ge::GetSizeByDataType(context->GetInputDesc({place})->GetDataType()))",
    }
    if what not in expressions:
        raise ValueError(f".{what} is not known")
    return expressions[what]
