"""A mark scheme's words as a student reads them: no examiner's shorthand, no Markdown, formulas as plain signs."""

from __future__ import annotations

import re

_SHORTHAND = {
    "oe": "or equivalent",
    "soi": "or shown by your working",
    "cao": "this answer only",
    "cso": "with every step correct",
    "nfww": "not from wrong working",
    "ft": "following on from your earlier answer",
    "owtte": "or words to that effect",
    "ora": "or the other way round",
    "ecf": "even after an earlier slip",
    "sc": "special case",
    "isw": "",  # what follows is ignored: nothing that a student need know
}
_SHORT = re.compile(rf"\(?(?<![\w'-])({'|'.join(_SHORTHAND)})(?![\w'-])\)?[.]?")
_AWRT = re.compile(r"(?<!\w)(?:awrt|a\.w\.r\.t\.)\s*", re.IGNORECASE)
_SIGNS = {
    "times": "×", "cdot": "·", "div": "÷", "pm": "±", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠",
    "ne": "≠", "approx": "≈", "rightarrow": "→", "to": "→", "Rightarrow": "⇒", "infty": "∞", "degree": "°", "pi": "π",
    "theta": "θ", "alpha": "α", "beta": "β", "gamma": "γ", "lambda": "λ", "mu": "μ", "omega": "ω", "Omega": "Ω",
    "Delta": "Δ", "rho": "ρ", "sigma": "σ", "quad": " ", "left": "", "right": "", "ldots": "…", "dots": "…",
    "circ": "°", "in": "∈", "angle": "∠", "sqrt": "√",
}  # fmt: skip
_RAISED = str.maketrans("0123456789+-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ")
_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def student_words(text: str) -> str:
    """A marking point's text with its shorthand written out. Words that merely look like shorthand stay."""
    said = _AWRT.sub("about ", plain(text))
    said = _SHORT.sub(lambda match: _SHORTHAND[match[1]], said)
    return re.sub(r"\s+([,.;])", r"\1", re.sub(r"[ \t]{2,}", " ", said)).strip(" ,;")


def plain(text: str) -> str:
    """The author's Markdown and LaTeX as plain text; what is not known stays as it was written."""
    said = re.sub(r"!\[([^\]]*)\]\([^)]*\)", r"[picture: \1]", text)
    said = re.sub(r"\[([^\]]+)\]\((?:https?:|mailto:|#)[^)]*\)", r"\1", said)
    said = re.sub(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1", r"\2", said)
    said = re.sub(r"(?<![\w*\\])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])", r"\1", said)
    said = re.sub(r"^#{1,6}\s+", "", said, flags=re.MULTILINE)
    return re.sub(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", lambda match: _formula(match[1] or match[2]), said, flags=re.DOTALL)


def _formula(written: str) -> str:
    said = re.sub(r"\^\s*\{?\s*\\circ\s*\}?", "°", written)
    said = re.sub(r"\^(?:\{([0-9+\-n]+)\}|([0-9n]))", lambda m: (m[1] or m[2]).translate(_RAISED), said)
    said = re.sub(r"_(?:\{([0-9]+)\}|([0-9]))", lambda m: (m[1] or m[2]).translate(_LOWERED), said)
    said = re.sub(r"\\(?:text|mathrm|mathbf|mathit|operatorname)\s*\{([^{}]*)\}", r"\1", said)
    for _ in range(4):  # fractions in fractions, from the inside
        said = re.sub(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", lambda m: _over(m[1]) + "/" + _over(m[2]), said)
        said = re.sub(r"\\sqrt\s*\{([^{}]*)\}", r"√(\1)", said)
    said = re.sub(r"\\([A-Za-z]+)", lambda m: _SIGNS.get(m[1], m[1]), said)
    said = re.sub(r"\\[ ,;:!]", " ", said).replace("\\%", "%").replace("{", "").replace("}", "")
    return re.sub(r"[ \t]{2,}", " ", said).strip()


def _over(part: str) -> str:
    return part if re.fullmatch(r"[\w.]+", part) else f"({part})"
