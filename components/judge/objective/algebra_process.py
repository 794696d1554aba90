"""The child process that works algebra out with sympy. Run as a file, it reads and answers JSON, one object a line.

It is given trees of a closed set of operations, never text to parse, and uses only sympy's constructors on them.
Kept free of our other modules so that it starts alone.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

import sympy
from sympy.core.cache import clear_cache

SECONDS_BEFORE_GIVING_UP = 20.0  # the parent gives up sooner; this is for a parent that is gone
_MEMORY = 3 * 2**30
_ZERO = 1e-12
_AT = ("0.7310585", "1.618034", "2.2360679", "0.4142135", "3.3019272")

_OPERATIONS: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "pow": lambda a, b: a**b,
    "sqrt": sympy.sqrt,
    "sin": sympy.sin,
    "cos": sympy.cos,
    "tan": sympy.tan,
    "arcsin": sympy.asin,
    "arccos": sympy.acos,
    "arctan": sympy.atan,
    "exp": sympy.exp,
    "ln": sympy.log,
    "log": lambda a: sympy.log(a, 10),
}


def build(tree: list[Any], positive: bool = True) -> Any:
    """sympy's expression of a tree, its variables positive or of any sign. Raises KeyError for unknown operations."""
    kind, *parts = tree
    if kind == "num":
        return sympy.Rational(parts[0])
    if kind == "sym":
        return sympy.Symbol(parts[0], positive=positive or None)
    if kind == "const":
        return {"pi": sympy.pi, "e": sympy.E}[parts[0]]
    return _OPERATIONS[kind](*(build(part, positive) for part in parts))


def compare(first: list[Any], second: list[Any]) -> str:
    """ "equal", "different", or "unknown" where neither can be shown, or they agree for positive variables alone."""
    a, b = build(first), build(second)
    if any(side.has(sympy.zoo, sympy.nan, sympy.oo) for side in (a, b)):
        return "unknown"
    if not _agree(a, b, 1):
        return "different"
    if not _proved_zero(a - b):
        return "unknown"
    return "equal" if _agree(build(first, False), build(second, False), -1) else "unknown"


def compare_equations(first: list[Any], second: list[Any]) -> str:
    """ "equal" where each equation is the other times a constant: y - 2x = 3 and 2y = 4x + 6."""
    left, right = first[0] - first[1], second[0] - second[1]
    if left == 0 or right == 0:
        return "unknown"
    ratio = sympy.simplify(left / right)
    return "equal" if ratio.is_number and ratio.is_finite and not ratio.is_zero else "unknown"


def _agree(first: Any, second: Any, sign: int) -> bool:
    """Whether the two come to the same at five points, leaving out those where either is not a real number."""
    names = sorted(first.free_symbols | second.free_symbols, key=str)
    for start in range(len(_AT)):
        at = {name: sign * sympy.Rational(_AT[(start + i) % len(_AT)]) for i, name in enumerate(names)}
        a, b = (complex(side.subs(at).evalf(25)) for side in (first, second))
        if abs(a.imag) > _ZERO or abs(b.imag) > _ZERO:
            continue
        if abs(a - b) > 1e-10 * max(1.0, abs(a), abs(b)):
            return False
    return True


def _proved_zero(difference: Any) -> bool:
    if difference == 0 or sympy.expand(difference) == 0:
        return True
    return bool(sympy.simplify(difference) == 0 or sympy.simplify(sympy.expand_log(difference)) == 0)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The reply to one request: a comparison, or the value of a number as decimal digits."""
    if request["task"] == "value":
        value = build(request["tree"])
        if value.free_symbols or not value.is_real or not value.is_finite:
            return {"value": None}
        return {"value": str(value.evalf(30)) if not value.is_Rational else str(value)}
    first, second = request["first"], request["second"]
    if request["task"] == "equations":
        return {"answer": compare_equations([build(side) for side in first], [build(side) for side in second])}
    return {"answer": compare(first, second)}


def _limit_memory() -> None:
    try:
        import resource  # noqa: PLC0415 - absent on Windows

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    except (ImportError, ValueError, OSError):
        return


def main() -> None:
    """Answers until the parent closes the pipe."""
    _limit_memory()
    sys.stdout.write('{"ready": true}\n')
    sys.stdout.flush()
    for line in sys.stdin:
        watchdog = threading.Timer(SECONDS_BEFORE_GIVING_UP, os._exit, (1,))
        watchdog.daemon = True
        watchdog.start()
        try:
            reply = answer(json.loads(line))
        except Exception as error:
            reply = {"error": type(error).__name__}
        finally:
            watchdog.cancel()
        clear_cache()
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
