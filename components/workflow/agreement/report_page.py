"""The report's HTML: its style, and the few elements it is made of. Every text that comes in is data, and escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, tzinfo
from html import escape

from components.workflow.agreement.tables import Value

SHORT, LONG = 11, 24  # letters in a cell
MOST_KEPT = 8  # rows of a table that is never cut in two
_LETTERS = re.compile(r"[^\W\d_]")
STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem; background: #fff; color: #111; line-height: 1.45;
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; padding-top: .6rem; border-top: 2px solid #1b2430; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
p, ul, ol { margin: .4rem 0 .7rem; }
.under, figcaption, .small { color: #3c4653; font-size: .87rem; }
.notice { border: 1px solid #8a93a0; padding: .5rem .7rem; }
dl { margin: .4rem 0; }
dt { font-weight: 600; margin-top: .6rem; }
dd { margin: .1rem 0 0; }
dd.exactly { color: #3c4653; font-size: .87rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .6rem; margin: .8rem 0; }
.figures div { border: 1px solid #b9c1cb; padding: .5rem .7rem; }
.figures b { display: block; font-size: 1.45rem; line-height: 1.2; }
figure { margin: .8rem 0; }
svg { display: block; width: 100%; height: auto; font-family: inherit; }
.beside { display: flex; flex-wrap: wrap; gap: 1rem; }
.beside figure { flex: 0 1 19rem; margin: 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .84rem; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .25rem .4rem; border-bottom: 1px solid #c9d0d9;
  overflow-wrap: normal; }
td.text { overflow-wrap: anywhere; min-width: 14rem; }
td.short { white-space: nowrap; }
th { border-bottom: 1.5px solid #1b2430; }
th { vertical-align: bottom; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number { white-space: nowrap; }
caption { text-align: left; font-weight: 600; padding: .2rem 0; }
@page { size: A4; margin: 16mm 15mm 18mm; @bottom-right { content: counter(page) " / " counter(pages);
  font: 9pt sans-serif; color: #333; } }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  h1, h2, h3, caption { break-after: avoid; }
  figure, tr, .figures div, .keep, dt { break-inside: avoid; }
  dt { break-after: avoid; }
  figcaption { break-before: avoid; }
  thead { display: table-header-group; }
  .wide { overflow: visible; }
  table { font-size: 8.3pt; }
  th, td { padding: .15rem .25rem; }
  td.text { min-width: 9rem; }
  svg, rect, circle, .figures div { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
@media screen and (max-width: 44rem) { svg.large { min-width: 40rem; } }
@media (max-width: 34rem) { body { padding: .8rem; } h1 { font-size: 1.35rem; } td.text { min-width: 8.5rem; } }
"""


def page(title: str, parts: Iterable[str]) -> str:
    """A whole document that asks no host for anything, and may not: its policy forbids all but its own style."""
    return (
        '<!doctype html>\n<html lang="en-GB"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>\n"
        + "\n".join(part for part in parts if part)
        + "\n</body></html>\n"
    )


def section(title: str, *parts: str) -> str:
    """A titled part; nothing where it is empty."""
    inside = "\n".join(part for part in parts if part)
    return f"<section><h2>{escape(title)}</h2>\n{inside}</section>" if inside else ""


def heading(said: str) -> str:
    return f"<h3>{escape(said)}</h3>"


def paragraph(said: str, kind: str = "") -> str:
    return f"<p{_class(kind)}>{escape(said)}</p>" if said else ""


def bullets(said: Sequence[str], *, numbered: bool = False) -> str:
    tag = "ol" if numbered else "ul"
    return f"<{tag}>{''.join(f'<li>{escape(each)}</li>' for each in said)}</{tag}>" if said else ""


def figure(svg: str, caption: str = "") -> str:
    """A chart with what it shows beneath it."""
    under = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f'<figure><div class="wide">{svg}</div>{under}</figure>'


def beside(figures: Sequence[str]) -> str:
    return f'<div class="beside">{"".join(figures)}</div>' if figures else ""


def tiles(found: Sequence[tuple[str, str, str]]) -> str:
    """Figures in large letters, as (name, figure, what stands under it)."""
    inside = "".join(
        f'<div>{escape(name)}<b>{escape(value)}</b><span class="small">{escape(under)}</span></div>'
        for name, value, under in found
    )
    return f'<div class="figures">{inside}</div>'


def table(columns: Sequence[str], rows: Sequence[Sequence[Value]], caption: str = "") -> str:
    """A table whose columns of numbers stand to the right; nothing without rows."""
    if not rows:
        return ""
    numeric = [i > 0 and all(_is_figure(row[i]) for row in rows) for i in range(len(columns))]
    head = "".join(
        f'<th scope="col"{_class("number" if right else "")}>{escape(name)}</th>'
        for name, right in zip(columns, numeric, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{_class('number' if right else _kind(cell))}>{escape(_written(cell))}</td>"
            for cell, right in zip(row, numeric, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    said = f"<caption>{escape(caption)}</caption>" if caption else ""
    kept = " keep" if len(rows) <= MOST_KEPT else ""
    return f'<div class="wide{kept}"><table>{said}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def definitions(terms: Sequence[tuple[str, str, str]]) -> str:
    """Terms, each in plain words and exactly."""
    return (
        "<dl>"
        + "".join(
            f'<div class="keep"><dt>{escape(term)}</dt><dd>{escape(plain)}</dd>'
            f'<dd class="exactly">{escape(exact)}</dd></div>'
            for term, plain, exact in terms
        )
        + "</dl>"
    )


def moment(at: str, zone: tzinfo) -> str:
    """A stored moment by the reader's clock: 30 Nov 2026, 14:05 GMT."""
    local = datetime.fromisoformat(at).astimezone(zone)
    return f"{local.day} {local:%b %Y, %H:%M %Z}"


def day(at: str, zone: tzinfo) -> str:
    """A stored moment's day by the reader's calendar: 30 Nov 2026."""
    local = datetime.fromisoformat(at).astimezone(zone)
    return f"{local.day} {local:%b %Y}"


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _written(cell: Value) -> str:
    if cell is None:
        return "—"
    if isinstance(cell, float):
        return f"{cell:g}".replace("-", "−")
    return f"{cell:,}" if isinstance(cell, int) else cell


def _is_figure(cell: Value) -> bool:
    """A number, or text that is one or two written out, such as .81 or −0.47 to +0.02."""
    return not isinstance(cell, str) or not _LETTERS.search(cell.replace(" to ", ""))


def _kind(cell: Value) -> str:
    """How a cell of text may be broken: not at all, at spaces, or anywhere."""
    length = len(_written(cell))
    return "short" if length <= SHORT else "text" if length > LONG else ""
