"""Which column holds what: a guess from the headings (English and Chinese) and the kind of values under them."""

from __future__ import annotations

import re
import statistics
import unicodedata
from dataclasses import dataclass, field

from components.intake.ai_cells import read_ai_mark
from components.intake.cells import NotAMarkError, read_mark
from components.intake.tables import Table

FIELD_LABELS = {
    "candidate": "Candidate number",
    "question": "Question number",
    "answer": "Answer",
    "max_mark": "Maximum mark",
    "mark_scheme": "Mark scheme",
    "question_text": "Question text",
    "mark_1": "Mark by the first marker",
    "mark_2": "Mark by the second marker",
    "ai_mark": "Mark by an AI",
    "type": "Question type",
}
_NUMERIC_FIELDS = frozenset({"max_mark", "mark_1", "mark_2", "ai_mark"})
_SAMPLE = 200
_SHORT = 40

_AMOUNT = r"(marks?|scores?|totals?|grades?|points?|ratings?)"
_PERSON = r"(humans?|teachers?|markers?|raters?|examiners?|graders?|assessors?|annotators?|experts?)"
_AI = (
    r"(ai|gpt|chatgpt|openai|llm|model|claude|gemini|gemma|deepseek|qwen|glm|kimi|grok|llama|mistral|copilot|vendor"
    r"|machine|auto(matic)?|predict(ed|ion))"
)
_AI_ZH = r"(ai|机器|模型|大模型|智能|自动|机评)"
_ID = r"(number|no|id|num|code|ref)"


def _marker(digit: str, ordinal: str, chinese: str) -> str:
    """A heading of one of two markers: `human 1 total`, `score 1`, `first marker`, `一评`."""
    return (
        rf"{_PERSON} {digit}( {_AMOUNT})?|({_PERSON} )?{_AMOUNT} {digit}|{ordinal} ({_PERSON}|{_AMOUNT})( {_AMOUNT})?"
        rf"|{chinese}(评|阅)(分数|得分|分)?|(评分|得分|分数) ?{digit}"
        rf"|(教师|老师|评分员|评卷人|阅卷人) ?({digit}|{chinese}) ?(评分|得分|分数)?"
    )


# Per field, patterns for the whole heading, surest first. Headings are compared as `plain_heading` writes them.
_PATTERNS: dict[str, tuple[str, ...]] = {
    "candidate": (
        rf"candidates?( {_ID})?|考生(编?号)?|准考证号|考号",
        rf"students?( {_ID})?|(pupil|learner|examinee)( {_ID})?|学生(编?号)?|学号",
        rf"(anonymous|anon|participant|user|script|respondent)( {_ID})?",
        r"id|name|full name|姓名|编号",
    ),
    "question": (
        rf"(question|item)( {_ID})?|q( {_ID})?|(试题|题目)编?号|题号|小题号?",
        rf"(task|problem|part|prompt)( {_ID})?|题目?|试题",
    ),
    "question_text": (
        r"(question|item|task|problem) (text|wording|stem|body|prompt)|stem|题干|题面|(试题|题目)(内容|文本)",
        r"prompt|question|item|task|problem|题目|试题",
    ),
    "answer": (
        r"(candidates?|students?|pupils?)( s)? (answer|response|text)( text)?"
        r"|(考生|学生)(的)?(作答|答案|回答|答题)(内容)?",
        r"(answer|response)s?( text)?|作答(内容|文本)?|回答|答题(内容)?",
        r"text|essay|submission|transcript|(model )?output|答案|文本|作文",
    ),
    "max_mark": (
        rf"max(imum)?( {_AMOUNT})?( available)?|out of|{_AMOUNT} available|available {_AMOUNT}|full {_AMOUNT}"
        rf"|(possible {_AMOUNT}|{_AMOUNT} possible)|满分(值)?",
        r"(本题|题目|试题)?分值|总分",
    ),
    "mark_scheme": (
        r"mark(ing)? (scheme|guide|criteria|rubric)|mark ?scheme|(scoring )?rubric|scheme|criteria"
        r"|评分(标准|细则|参考|要点)",
        r"(model|reference|desired|sample|expected|correct) (answer|solution)|solution|(参考|标准)答案|答案要点",
    ),
    "mark_1": (
        _marker("1", "(first|1 st)", "一"),
        rf"{_PERSON}( {_AMOUNT})?|(教师|老师|人工|阅卷)(评分|得分|分数)",
        rf"{_AMOUNT}|(awarded|given|final|total) {_AMOUNT}|{_AMOUNT} (awarded|given|obtained)|得分|分数|评分|成绩",
    ),
    "mark_2": (_marker("2", "(second|2 nd)", "二"), r"复评(分数|得分|分)?|复核分数?"),
    "type": (r"(question |item )?type", r"题型|(题目|试题)类型"),
}
_AI_MARK = re.compile(rf"{_AI}( .+)?|({_AMOUNT}|pred)( by| of)? {_AI}( .+)?|{_AI_ZH}(的)?(评分|得分|分数|打分|评)?")
_NAMELESS_AI = re.compile(rf"(ai|llm|model|vendor|machine|auto(matic)?|predict(ed|ion))( {_AMOUNT})?|{_AI_ZH}(的)?\w*")
_NO_MARKS = re.compile(
    r"(.* )?(tokens?( in| out)?|prices?|costs?|seconds?|time( stamp)?|timestamp|latency|confidence|probability"
    r"|certainty|reasons?|reasoning|comments?|feedback|rationale|explanation|versions?|ids?|index|row|length"
    r"|words?( count)?)"
)
_ITEMS = re.compile(r"(.*?) ?items?( marks?)?")
_GROUP = re.compile(
    rf"(teaching )?(class|set)( (name|group|{_ID}))?|(form|tutor)( group)?|tier( of entry)?|year ?group"
    rf"|(school|cent(re|er))( (name|{_ID}))?|gender|sex"
    r"|send?( (status|code|support|need))?|eal( status)?|pupil premium( (status|eligible))?|ethnic(ity| group)"
    r"|班级?(名称|编?号)?|教学班|行政班|性别|年级|学校(名称|代码)?|民族|考点",
)
_GROUP_PREFIX = re.compile(r"\s*group\s*:\s*(?=\S)", re.IGNORECASE)
_PERSONAL = re.compile(
    r"((candidate|student|pupil|learner|teacher|tutor|parent|first|last|middle|family|given|full|preferred|legal|user)"
    r"( s)? )*(sur|fore|user)?names?|(.* )?e ?mails?( .*)?|(考生|学生|教师|老师)?(姓名|名字)|(电子)?邮(箱|件)(地址)?",
)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")


@dataclass(frozen=True)
class AIColumn:
    """A column of an AI's marks and the name of the judge they are kept under; blank names it after the file."""

    column: str
    judge: str = ""


@dataclass(frozen=True)
class Mapping:
    """The column that holds each thing, or None, and the columns that hold groups of candidates, in any number.

    `ai_mark` is an AI's column that needs no name of its own; `ai_columns` are those of named ones, in any number.
    `why` says for each guessed field what led to the guess.
    """

    candidate: str | None = None
    question: str | None = None
    answer: str | None = None
    max_mark: str | None = None
    mark_scheme: str | None = None
    question_text: str | None = None
    mark_1: str | None = None
    mark_2: str | None = None
    ai_mark: str | None = None
    type: str | None = None
    groups: tuple[str, ...] = ()
    ai_columns: tuple[AIColumn, ...] = ()
    why: dict[str, str] = field(default_factory=dict, compare=False)

    def chosen(self) -> dict[str, str]:
        """Field to column, of the fields that have one, in the order of FIELD_LABELS."""
        columns = {name: getattr(self, name) for name in FIELD_LABELS}
        return {name: column for name, column in columns.items() if column is not None}

    def ais(self) -> tuple[AIColumn, ...]:
        """Every column of an AI's marks."""
        return (*(() if self.ai_mark is None else (AIColumn(self.ai_mark),)), *self.ai_columns)


def guess_mapping(table: Table) -> Mapping:
    """The likeliest mapping; each column is used once. A mark column must hold marks, a question number be short."""
    samples = {column: [cell for cell in table.column(column) if cell.strip()][:_SAMPLE] for column in table.columns}
    fits: list[tuple[int, int, int, str, str]] = []
    for order, (name, patterns) in enumerate(_PATTERNS.items()):
        for place, column in enumerate(table.columns):
            heading = plain_heading(column)
            tier = next((tier for tier, pattern in enumerate(patterns) if re.fullmatch(pattern, heading)), None)
            if tier is not None and _values_fit(name, samples[column]):
                fits.append((tier, order, place, name, column))
    chosen: dict[str, str] = {}
    for _, _, _, name, column in sorted(fits):
        if name not in chosen and column not in chosen.values():
            chosen[name] = column
    ais = _guess_ais(table, chosen)
    if len(ais) == 1:
        chosen["ai_mark"] = ais[0]
    return Mapping(
        **chosen,
        groups=_guess_groups(table, taken={*chosen.values(), *ais}),
        ai_columns=tuple(AIColumn(column, column) for column in ais) if len(ais) > 1 else (),
        why={name: _why(name, column) for name, column in chosen.items()},
    )


def _guess_ais(table: Table, chosen: dict[str, str]) -> list[str]:
    """The further columns headed as an AI's and holding marks on their questions' scales or lists of item marks.

    Of a table of nothing but marks by other headings, such as tools' names, those too.
    """
    bare = "candidate" in chosen and "question" in chosen and not {"answer", "mark_1", "mark_2"} & chosen.keys()
    maxima = table.column(chosen["max_mark"]) if "max_mark" in chosen else [""] * len(table.rows)
    found: dict[str, str] = {}  # by column, its plain heading
    for column in table.columns:
        heading = plain_heading(column)
        if column in chosen.values() or _NO_MARKS.fullmatch(heading):
            continue
        headed = _AI_MARK.fullmatch(heading) is not None
        if not headed and (not bare or _GROUP.fullmatch(heading) or is_personal(table, column)):
            continue
        if _holds_ai_marks(table.column(column), maxima):
            found[column] = heading
    itemised = {match[1] for heading in found.values() if (match := _ITEMS.fullmatch(heading))}
    return [
        column
        for column, heading in found.items()
        if re.sub(rf" {_AMOUNT}$", "", heading) not in itemised  # their sum beside them
    ]


def _holds_ai_marks(cells: list[str], maxima: list[str]) -> bool:
    """Whether half the cells that say anything are marks or lists of them, and half of those on their scale."""
    said = read = fitting = 0
    for cell, maximum in zip(cells, maxima, strict=True):
        if not cell.strip():
            continue
        said += 1
        try:
            mark = read_ai_mark(cell).mark
            most = read_mark(maximum).mark
        except NotAMarkError:
            continue
        if mark is not None:
            read += 1
            fitting += 0 <= mark <= (most or mark)
        if said == _SAMPLE:
            break
    return read > 0 and 2 * read >= said and 2 * fitting >= read


def group_columns(table: Table) -> tuple[str, ...]:
    """The columns headed as groups of candidates usually are, such as class and tier, or “group: …”."""
    return _guess_groups(table, taken=set())


def names_an_ai(column: str) -> bool:
    """Whether the heading of a column of an AI's marks says which AI: “gpt-4o score” does, “AI mark” does not."""
    return _NAMELESS_AI.fullmatch(plain_heading(column)) is None


def group_name(column: str) -> str:
    """What the groups in a column are called: its heading in lower case, without a “group:” before it."""
    return _GROUP_PREFIX.sub("", unicodedata.normalize("NFKC", column), count=1).strip().lower()


def is_personal(table: Table, column: str) -> bool:
    """Whether a column holds people's names or e-mail addresses, by its heading or the first of its values."""
    if _PERSONAL.fullmatch(plain_heading(group_name(column))):
        return True
    place = table.columns.index(column)
    return any(has_email(row[place]) for row in table.rows[:_SAMPLE])


def has_email(cell: str) -> bool:
    """Whether an e-mail address stands anywhere in a cell."""
    return "@" in cell and _EMAIL.search(cell) is not None


def _guess_groups(table: Table, taken: set[str]) -> tuple[str, ...]:
    """The columns headed as groups usually are or “group: …”; of several that would be one group, the first."""
    columns: dict[str, str] = {}
    for column in table.columns:
        usual = _GROUP.fullmatch(plain_heading(column)) or _GROUP_PREFIX.match(unicodedata.normalize("NFKC", column))
        if usual and column not in taken and not is_personal(table, column):
            columns.setdefault(group_name(column), column)
    return tuple(columns.values())


def plain_heading(heading: str) -> str:
    """A heading in lower case with words and numbers apart: `Human1_Total` and `human1Total` are `human 1 total`."""
    text = unicodedata.normalize("NFKC", heading)
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).casefold()
    text = re.sub(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])", " ", text)
    return " ".join(re.sub(r"[\W_]+", " ", text).split())


def _values_fit(name: str, sample: list[str]) -> bool:
    if not sample:
        return True
    if name in _NUMERIC_FIELDS:
        return 2 * sum(_is_mark(cell) for cell in sample) >= len(sample)
    if name in {"question", "question_text"}:
        return (statistics.median(len(cell) for cell in sample) <= _SHORT) == (name == "question")
    return True


def _is_mark(cell: str) -> bool:
    try:
        read_mark(cell)
    except NotAMarkError:
        return False
    return True


def _why(name: str, column: str) -> str:
    also = {"question": " and its values are short", "question_text": " and its values are long"}
    ending = " and its values are numbers" if name in _NUMERIC_FIELDS else also.get(name, "")
    return f"The heading “{column}” is a usual one for this{ending}."


def language_of(table: Table, mapping: Mapping) -> str:
    """The language of the answers, zh where one of the first hundred has a Chinese character, else en."""
    if mapping.answer not in table.columns:
        return "en"
    return "zh" if any(_CHINESE.search(answer) for answer in table.column(mapping.answer)[:100]) else "en"
