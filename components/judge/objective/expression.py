"""Reading an algebraic expression into a small tree, by a closed list of tokens. Nothing here evaluates anything."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from components.judge.objective.reading import Unreadable, caret_exponents

# A tree is ["num", "2.5"], ["sym", "x"], ["const", "pi"], or [operation, tree, …]; plain lists, to travel as JSON.
Tree = list["str | Tree"]

FUNCTIONS = ("arcsin", "arccos", "arctan", "sqrt", "sin", "cos", "tan", "log", "exp", "lg", "ln")
TRIGONOMETRIC = frozenset({"sin", "cos", "tan", "arcsin", "arccos", "arctan"})
_LONGEST = 200
_MOST_TOKENS = 100
_DEEPEST = 25
_LARGEST_NUMBER_POWER = 300
_LARGEST_LETTER_POWER = 20
_GREEK = "αβγδεθλμπρστφωΔΩ"
_LATEX = (
    (re.compile(r"\\(?:left|right|displaystyle|,|;|!|quad)"), ""),
    (re.compile(r"\\(?:times|cdot|ast)\b"), "*"),
    (re.compile(r"\\div\b"), "/"),
    (re.compile(r"\\%"), "%"),
    (re.compile(r"\\(?:text|mathrm|mathbf|operatorname)\s*\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\\(alpha|beta|gamma|delta|theta|lambda|mu|pi|rho|sigma|tau|phi|omega)\b"), r" \1 "),
    (re.compile(r"\\(sin|cos|tan|log|ln|lg|exp|arcsin|arccos|arctan)\b"), r" \1 "),
)
_GREEK_NAMES = dict(
    zip(
        ("alpha", "beta", "gamma", "delta", "theta", "lambda", "mu", "pi", "rho", "sigma", "tau", "phi", "omega"),
        "αβγδθλμπρστφω",
        strict=True,
    )
)
_PLAIN_FRACTION = re.compile(r"\\[dt]?frac\s*\{\s*(\d+)\s*\}\s*\{\s*(\d+)\s*\}")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_ROOT = re.compile(r"\\sqrt\s*\{([^{}]*)\}")
_NAMES = f"(?:{'|'.join([*FUNCTIONS, *_GREEK_NAMES])})(?![A-Za-z]{{2}})"
_PROSE = re.compile(rf"(?<![A-Za-z])(?!{_NAMES})[A-Za-z]{{4,}}|\d[eE][-+]?\d")
FUNCTION_NAME = re.compile(_NAMES)
_VULGAR = re.compile(r"(\d*)([½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])")
_TOKEN = re.compile(
    rf"\s*(?:(?P<num>\d+(?:\.\d+)?|\.\d+)|(?P<word>{_NAMES})"
    rf"|(?P<letter>[A-Za-z{_GREEK}])|(?P<op>\*\*|[-+*/^()√×·]))"
)


@dataclass(frozen=True)
class Token:
    kind: str
    text: str


def without_latex(text: str) -> str:
    """The text with LaTeX's fractions, roots, signs and dollars written plainly."""
    text = re.sub(r"\\[()\[\]]", "", re.sub(r"\^\s*\{([^{}]*)\}", r"^(\1)", text))
    if "\\" not in text and "$" not in text:
        return text
    text = re.sub(r"^\s*\$+([^$]*)\$+\s*\.?\s*$", r"\1", text)
    for pattern, replacement in _LATEX:
        text = pattern.sub(replacement, text)
    text = re.sub(r"(?<=\d)(?=\\[dt]?frac)", " ", text)
    text = _PLAIN_FRACTION.sub(r"\1/\2", text)
    for _ in range(10):
        text = _ROOT.sub(r"sqrt(\1)", _FRACTION.sub(r"((\1)/(\2))", text))
    return text


def read_expression(text: str) -> Tree:
    """The tree of an expression such as 2(x+1), sin²x, √2/2, 3x^2 - 1.

    Letters are one-letter variables, e and π the constants, log to base 10. Raises Unreadable for anything outside
    the token list, for 1/2x (which can be read two ways), and for powers too large to work with.
    """
    text = _VULGAR.sub(_in_brackets, caret_exponents(without_latex(text))).strip().rstrip(".,;")
    if _PROSE.search(text):
        raise Unreadable("The answer has words in it that cannot be read as mathematics. Please mark it yourself.")
    tree = _Reader(list(_tokens(text))).whole()
    _check_powers(tree)
    return tree


def _in_brackets(vulgar: re.Match[str]) -> str:
    fraction = unicodedata.normalize("NFKC", vulgar[2]).replace("⁄", "/")
    return f"({vulgar[1]}+{fraction})" if vulgar[1] else f"({fraction})"


def _tokens(text: str) -> Iterator[Token]:
    if not text or len(text) > _LONGEST:
        raise Unreadable("The answer cannot be read as a number or an expression. Please mark it yourself.")
    at = 0
    for _ in range(_MOST_TOKENS):
        token = _TOKEN.match(text, at)
        if token is None:
            raise Unreadable("The answer has symbols in it that this check does not read. Please mark it yourself.")
        at = token.end()
        kind = str(token.lastgroup)
        yield Token(kind, {"**": "^", "×": "*", "·": "*"}.get(token[kind], token[kind]))
        if not text[at:].strip():
            return
    raise Unreadable("The answer is too long an expression for this check. Please mark it yourself.")


class _Reader:
    """Recursive descent: sum, product, implied product, sign, power, atom."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0

    def whole(self) -> Tree:
        tree = self.sum()
        if self.at < len(self.tokens):
            raise self.unreadable()
        return tree

    def unreadable(self) -> Unreadable:
        return Unreadable("The answer cannot be read as a number or an expression. Please mark it yourself.")

    def peek(self) -> Token:
        return self.tokens[self.at] if self.at < len(self.tokens) else Token("end", "")

    def take(self, *ops: str) -> str | None:
        token = self.peek()
        if token.kind == "op" and token.text in ops:
            self.at += 1
            return token.text
        return None

    def sum(self) -> Tree:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.unreadable()
        tree = self.product()
        while op := self.take("+", "-"):
            tree = ["add" if op == "+" else "sub", tree, self.product()]
        self.depth -= 1
        return tree

    def product(self) -> Tree:
        tree, _ = self.implied()
        while op := self.take("*", "/"):
            right, factors = self.implied()
            if op == "/" and factors > 1:
                raise Unreadable(
                    "The answer has a fraction that can be read two ways, as 1/2x can. Please decide which is meant."
                )
            tree = ["mul" if op == "*" else "div", tree, right]
        return tree

    def implied(self) -> tuple[Tree, int]:
        """Factors written side by side, and how many: 2x(x+1) is three."""
        tree, factors = self.signed(), 1
        while self.starts_factor():
            if self.peek().kind == "num" and self.tokens[self.at - 1].kind == "num":
                raise self.unreadable()
            tree, factors = ["mul", tree, self.power()], factors + 1
        return tree, factors

    def starts_factor(self) -> bool:
        token = self.peek()
        return token.kind in ("num", "word", "letter") or (token.kind == "op" and token.text in "(√")

    def signed(self) -> Tree:
        signs = 0
        while sign := self.take("+", "-"):
            signs += sign == "-"
            if signs > 2:
                raise self.unreadable()
        tree = self.power()
        return ["neg", tree] if signs % 2 else tree

    def power(self) -> Tree:
        base = self.atom()
        if not self.take("^"):
            return base
        return ["pow", base, self.exponent()]

    def exponent(self) -> Tree:
        negative = self.take("-", "+") == "-"
        power = self.atom()
        if self.take("^"):
            raise Unreadable("The answer has a power of a power, which this check does not work out.")
        return ["neg", power] if negative else power

    def atom(self) -> Tree:
        token = self.peek()
        self.at += 1
        if token.kind == "num":
            return ["num", token.text]
        if token.kind == "letter":
            return _letter(token.text)
        if token.kind == "word":
            return self.function(token.text) if token.text in FUNCTIONS else _letter(_GREEK_NAMES[token.text])
        if token.text == "√":
            return ["sqrt", self.atom()]
        if token.text == "(":
            tree = self.sum()
            if not self.take(")"):
                raise self.unreadable()
            return tree
        raise self.unreadable()

    def function(self, name: str) -> Tree:
        """sin x, sin 2x, sin(2x), sin²x; without brackets the argument ends at a sign, a bracket or a function."""
        power = self.exponent() if self.take("^") else None
        if power is not None and power[0] != "num":
            raise Unreadable("The answer has a function with a negative power, which can be read two ways.")
        if self.peek() == Token("op", "("):
            argument = self.atom()
        else:
            argument = self.power()
            while self.peek().kind in ("num", "letter"):
                argument = ["mul", argument, self.power()]
        tree: Tree = [{"lg": "log"}.get(name, name), argument]
        return tree if power is None else ["pow", tree, power]


def _letter(letter: str) -> Tree:
    return ["const", "pi"] if letter == "π" else ["const", "e"] if letter == "e" else ["sym", letter]


def letters(tree: Tree) -> frozenset[str]:
    """The variables in a tree."""
    if tree[0] == "sym":
        return frozenset({str(tree[1])})
    return frozenset().union(*(letters(part) for part in tree[1:] if isinstance(part, list)))


def operations(tree: Tree) -> frozenset[str]:
    """The kinds of node in a tree: "num", "add", "sin" …"""
    return frozenset({str(tree[0])}).union(*(operations(part) for part in tree[1:] if isinstance(part, list)))


def with_letters(tree: Tree, names: dict[str, str]) -> Tree:
    """The tree with variables renamed."""
    if tree[0] == "sym":
        return ["sym", names.get(str(tree[1]), str(tree[1]))]
    return [with_letters(part, names) if isinstance(part, list) else part for part in tree]


def _check_powers(tree: Tree) -> None:
    """Raises Unreadable for powers whose working-out could fill the machine: 9^9^9, (x+1)^999."""
    if _degree(tree, numbers=True) > _LARGEST_NUMBER_POWER or _degree(tree, numbers=False) > _LARGEST_LETTER_POWER:
        raise Unreadable("The answer has a power too large for this check to work out. Please mark it yourself.")


def _degree(tree: Tree, numbers: bool) -> float:
    """How large the powers in a tree multiply up to, over its numbers or over its letters."""
    kind, parts = tree[0], [part for part in tree[1:] if isinstance(part, list)]
    if kind in ("num", "const", "sym"):
        return float(numbers if kind != "sym" else not numbers)
    if kind == "pow":
        base, power = parts
        return _degree(base, numbers) * _size_of_power(power)
    if kind in ("mul", "div"):
        return sum(_degree(part, numbers) for part in parts)
    return max(_degree(part, numbers) for part in parts)


def _size_of_power(power: Tree) -> float:
    if power[0] == "num":
        return max(1.0, float(str(power[1])))
    if "pow" in operations(power) and not letters(power):
        raise Unreadable("The answer has a power of a power, which this check does not work out.")
    numbers = [float(number) for number in _numbers(power)]
    size = 1.0
    for number in numbers:
        size *= max(1.0, number)
    return size


def _numbers(tree: Tree) -> Iterator[str]:
    if tree[0] == "num":
        yield str(tree[1])
    for part in tree[1:]:
        if isinstance(part, list):
            yield from _numbers(part)
