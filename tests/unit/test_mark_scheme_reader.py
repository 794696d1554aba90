"""Mark schemes of many styles, all written by us, are read into the structure that stands beside each."""

from __future__ import annotations

import contextlib
import io
import zipfile
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.intake import IntakeError
from components.intake.mark_scheme import SchemeDraft, read_mark_scheme, source_lines, text_lines
from components.marking import MarkError
from tests.mark_schemes import Written, question_faults, read_entries, wanted_entries, written_schemes

TUNED, HELD_OUT = written_schemes("tuned"), written_schemes("held_out")
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def read(text: str, max_mark: float | None = None) -> SchemeDraft:
    return read_mark_scheme(text_lines(text), max_mark)


def test_the_corpus_is_large_enough_and_a_third_of_it_is_held_out() -> None:
    assert len(TUNED) + len(HELD_OUT) >= 60
    assert len(HELD_OUT) >= (len(TUNED) + len(HELD_OUT)) / 3 - 1


def exact_share(part: list[Written]) -> float:
    """The share of points and levels read exactly; prints those that are not."""
    wrong = []
    wanted = 0
    for written in part:
        found = read_entries(read(written.text))
        for entry in wanted_entries(written):
            wanted += 1
            if entry not in found:
                wrong.append(f"{written.name}: {entry}")
    print(f"{wanted - len(wrong)} of {wanted} points exact ({1 - len(wrong) / wanted:.1%})", *wrong, sep="\n")
    return 1 - len(wrong) / wanted


def test_at_least_95_in_100_points_are_exact() -> None:
    assert exact_share(TUNED + HELD_OUT) >= 0.95


def test_points_of_schemes_the_rules_were_not_made_by_are_exact_nearly_as_often() -> None:
    # Each of them was measured and never looked into: 94.0% at first, 95.8% after rules for others were added.
    assert exact_share(HELD_OUT) >= 0.93


@pytest.mark.parametrize("part", [TUNED, HELD_OUT], ids=["tuned", "held out"])
def test_hardly_any_point_is_made_up(part: list[Written]) -> None:
    made_up = [
        entry
        for written in part
        for entry in read_entries(read(written.text))
        if entry[:2] not in [wanted[:2] for wanted in wanted_entries(written)]
    ]
    assert len(made_up) <= sum(len(wanted_entries(written)) for written in part) * 0.03, made_up


@pytest.mark.parametrize("written", TUNED, ids=[written.name for written in TUNED])
def test_maximum_caps_content_and_special_cases_are_read(written: Written) -> None:
    draft = read(written.text)
    found = {question.number: question for question in draft.questions}
    assert list(found) == list(written.questions)
    for number, wanted in written.questions.items():
        assert question_faults(wanted, found[number]) == []


@pytest.mark.parametrize("written", TUNED, ids=[written.name for written in TUNED])
def test_every_scheme_of_the_corpus_makes_a_valid_scheme_without_problems(written: Written) -> None:
    draft = read(written.text)
    assert draft.problems == ()
    assert draft.unread == ()
    for question in draft.questions:
        assert question.scheme().max_mark == written.questions[question.number]["max"]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.text(max_size=40),
            st.sampled_from([line for written in TUNED for line in written.text.splitlines()]),
        ),
        max_size=25,
    ),
    st.one_of(st.none(), st.integers(1, 20)),
)
def test_any_text_gives_a_draft_in_which_every_line_is_used_or_unread(lines: list[str], max_mark: int | None) -> None:
    source = text_lines("\n".join(lines))
    draft = read_mark_scheme(source, max_mark)
    written = {line.number for line in source if line.text.strip()}
    assert set(draft.used) | set(draft.unread) == written
    assert not set(draft.used) & set(draft.unread)
    for question in draft.questions:
        with contextlib.suppress(MarkError):
            question.scheme()


def test_very_long_lines_are_read_quickly() -> None:
    # A pattern that tries every way of cutting such a line would not end in a lifetime.
    for piece in ("1 ", "M1", "AO1 1", "得1分，", "dep on "):
        read("Question 1\n" + piece * (1900 // len(piece)))
        read("Question 1\n" + piece * 100_000)


# What the draft says of itself


def test_a_total_that_the_points_do_not_come_to_is_a_problem() -> None:
    draft = read("Question 3 [4 marks]\nM1 Adds the two\nA1 12")
    assert draft.problems == ("Question 3: the points come to 2, and the maximum is 4.",)


def test_a_dependence_on_a_point_that_is_not_there_is_a_problem_and_no_scheme() -> None:
    draft = read("Question 3 [2 marks]\nM1 Adds the two\nB1 dep on M3: explains why")
    assert draft.problems == ("Question 3: B1 depends on M3, and no point before it is that.",)
    with pytest.raises(MarkError, match="Point B1 needs M3, which the scheme does not have"):
        draft.questions[0].scheme()


def test_a_maximum_given_by_the_teacher_is_checked_against_the_scheme_s_own() -> None:
    assert "The scheme says 3 marks, and the question's maximum is 4." in read("Q1 [3]\nB3 for 12", 4).problems[0]


def test_parts_are_checked_against_the_total_of_their_question() -> None:
    problems = read("3 (a) [1 mark]\nB1 six\n(b) [1 mark]\nB1 seven\nTotal 3").problems
    assert problems == ("Question 3: its parts come to 2 marks, and the total says 3.",)


def test_an_accuracy_mark_s_dependence_is_said_to_be_assumed() -> None:
    point = read("Q1 [2]\nM1 Adds\nA1 12").questions[0].points[1]
    assert point.needs == ("M1",)
    assert point.assumed == ("needs M1: an accuracy mark follows the method mark before it",)


def test_points_know_their_lines_and_headings_of_no_meaning_are_unread() -> None:
    draft = read("Summer test 2, set B\n\nQuestion 1 [2 marks]\n• red (1)\nAccept: crimson\n• blue (1)")
    assert draft.unread == (1,)
    assert [point.lines for point in draft.questions[0].points] == [(4, 5), (6,)]


def test_ignored_words_and_special_cases_stand_in_the_scheme_s_note() -> None:
    question = read("Q1 [1]\nMP1 iron\nIgnore: rust\nSC B1 for steel\nNote: accept symbols").questions[0]
    assert question.scheme().note == "accept symbols\nSpecial case (1): steel\nMP1: ignore rust"


def test_a_list_is_one_question_where_the_teacher_has_said_its_maximum() -> None:
    text = "1. Iron filings line up (1)\n2. The field is strongest at the poles (1)"
    assert [question.number for question in read(text).questions] == ["1", "2"]
    assert [point.text for point in read(text, 2).questions[0].points] == [
        "Iron filings line up",
        "The field is strongest at the poles",
    ]


def test_half_marks_need_a_step_that_allows_them() -> None:
    lines = text_lines("Q1 [1]\n• wood (½)\n• stone (½)")
    assert read_mark_scheme(lines, mark_step=0.5).questions[0].scheme().max_mark == 1
    assert "not a whole number of 1-mark steps" in read_mark_scheme(lines).problems[0]


# Files


def docx(text: str) -> bytes:
    """A DOCX as Word writes it, in the least XML: bullets as lists, tables as tables."""
    body = []
    rows: list[str] = []
    for line in text_lines(text):
        if line.cells:
            if not set("".join(line.cells)) <= set("-: "):
                rows.append("<w:tr>" + "".join(f"<w:tc>{_cell(cell)}</w:tc>" for cell in line.cells) + "</w:tr>")
            continue
        if rows:
            body.append(f"<w:tbl>{''.join(rows)}</w:tbl>")
            rows = []
        bullet = line.text.lstrip()[:2] in ("• ", "◦ ", "* ", "- ", "– ")
        body.append(_paragraph(line.text.lstrip()[2:] if bullet else line.text, bullet))
    if rows:
        body.append(f"<w:tbl>{''.join(rows)}</w:tbl>")
    return zipped(f'<w:document xmlns:w="{_W}"><w:body>{"".join(body)}</w:body></w:document>')


def _cell(cell: str) -> str:
    return "".join(_paragraph(line, False) for line in cell.split("\n"))


def _paragraph(text: str, bullet: bool) -> str:
    listed = '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>' if bullet else ""
    half = len(text) // 2
    runs = "".join(f'<w:r><w:t xml:space="preserve">{escape(part)}</w:t></w:r>' for part in (text[:half], text[half:]))
    return f"<w:p>{listed}{runs}</w:p>"


def zipped(document: str) -> bytes:
    numbering = (
        f'<w:numbering xmlns:w="{_W}"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/>'
        '</w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
    )
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("word/document.xml", document)
        archive.writestr("word/numbering.xml", numbering)
    return made.getvalue()


def pdf(text: str) -> bytes:
    """A PDF of the lines, tables drawn by columns with long cells wrapped."""
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    chinese = any("\u4e00" <= letter <= "\u9fff" for letter in text)
    style = ParagraphStyle("plain", fontName="STSong-Light" if chinese else "Helvetica", fontSize=11, leading=16)
    story: list[object] = []
    rows: list[list[Paragraph]] = []
    for line in [*text_lines(text), *text_lines("\n")]:
        if line.cells:
            if not set("".join(line.cells)) <= set("-: "):
                rows.append([Paragraph(escape(cell).replace("\n", "<br/>"), style) for cell in line.cells])
            continue
        if rows:
            widths = [60, *[400 / (len(rows[0]) - 1)] * (len(rows[0]) - 1)]
            story.append(Table(rows, colWidths=widths, style=[("VALIGN", (0, 0), (-1, -1), "TOP")]))
            rows = []
        story.append(Paragraph(escape(line.text) or "&nbsp;", style))
    made = io.BytesIO()
    SimpleDocTemplate(made).build(story)
    return made.getvalue()


def structure(draft: SchemeDraft) -> list[object]:
    return [
        read_entries(draft),
        [(question.number, question.max_mark, question.indicative) for question in draft.questions],
    ]


@pytest.mark.parametrize("written", TUNED, ids=[written.name for written in TUNED])
def test_a_docx_is_read_as_its_text_is(written: Written) -> None:
    draft = read_mark_scheme(source_lines("scheme.docx", docx(written.text)))
    assert structure(draft) == structure(read(written.text))


_IN_PDF = ["science: any three from bullets", "levels: levels in lines", "maths: coded lines, code first"]
_IN_PDF += ["science: a table with four columns", "maths: a table with marks in a column", "levels: a levels table"]
_IN_PDF += [
    "chinese: 答出一点得2分",
    "languages: accept and reject columns",
    "history: causes with indicative content first",
]


@pytest.mark.parametrize("name", _IN_PDF)
def test_a_pdf_is_read_as_its_text_is(name: str) -> None:
    # Helvetica has no minus sign and no superscript four; the structure does not depend on them.
    text = next(written.text for written in TUNED if written.name == name).translate({0x2212: "-", 0x2074: "4"})
    draft = read_mark_scheme(source_lines("scheme.pdf", pdf(text)))
    assert structure(draft) == structure(read(text))


def test_bytes_of_text_are_read_in_the_usual_encodings() -> None:
    text = "第8题（共6分）\n①以桥写人（6分）"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "gb18030"):
        assert source_lines("评分.md", text.encode(encoding)) == text_lines(text)


BOMB = '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.docx", b"PK\x03\x04 cut off", "not a DOCX that can be read"),
        ("a.docx", zipped("<w:document"), "not a DOCX that can be read"),
        ("a.docx", zipped(f'{BOMB}<w:document xmlns:w="{_W}"><w:body/></w:document>'), "not a DOCX that can be read"),
        ("a.docx", zipped(f'<w:document xmlns:w="{_W}"><w:body/></w:document>'), "No text was found"),
        ("a.docx", zipped("<a>" * 5000 + "</a>" * 5000), "not a DOCX that can be read"),
        ("a.pdf", b"%PDF-1.7 cut off", "not a PDF that can be read"),
        ("a.doc", b"\xd0\xcf\x11\xe0 old", "Save it as DOCX or PDF"),
        ("a.txt", b"\0\1\2\3", "is not text"),
        ("a.txt", b"  \n ", "No text was found"),
    ],
)
def test_a_spoilt_file_is_refused_in_words(name: str, content: bytes, words: str) -> None:
    with pytest.raises(IntakeError, match=words):
        source_lines(name, content)


def test_a_docx_s_numbered_parts_and_deleted_words_are_read_as_word_shows_them() -> None:
    deleted = "<w:p><w:r><w:t>B1 six</w:t></w:r><w:del><w:r><w:delText>teen</w:delText></w:r></w:del></w:p>"
    document = (
        f'<w:document xmlns:w="{_W}"><w:body>{_paragraph("Question 2 [1]", False)}{deleted}</w:body></w:document>'
    )
    question = read_mark_scheme(source_lines("a.docx", zipped(document))).questions[0]
    assert [(point.code, point.text) for point in question.points] == [("B1", "six")]


def test_a_draft_that_makes_no_scheme_says_so_among_its_problems() -> None:
    levels = "Question 5 [6]\nLevel 2 (3–6 marks): argued\nLevel 1 (1–4 marks): said"
    assert read(levels).problems == ("Question 5: Levels level 2 overlaps another level or is upside down.",)
    assert read("Question 6 [2]\n\nQuestion 7 [1]\nB1 six").problems == (
        "Question 6 has no marking points and no levels. Please add them, or paste its scheme.",
    )


def test_a_number_alone_before_a_code_opens_its_question() -> None:
    found = read("9 B1 correct shape\nB1 passes through (0, 3) nfww\n10b M1 for 3x seen\nA1 x = 4")
    assert [(each.number, each.total) for each in found.questions] == [("9", 2), ("10(b)", 2)]
    assert found.unread == ()


def test_what_is_not_to_be_accepted_is_never_among_what_is() -> None:
    for said in ("Accept hot, do not accept warm", "Accept hot; reject warm", "Accept hot\nDo not accept warm"):
        [point] = read(f"1(a) it heats up (1)\n{said}").questions[0].points
        assert (point.accept, point.reject) == (("hot",), ("warm",))
    [point] = read("1(a) it heats up (1); accept “hot”, reject “warm”, ignore “sun”").questions[0].points
    assert (point.accept, point.reject, point.ignore) == (("“hot”",), ("“warm”",), ("“sun”",))


def test_points_after_max_2_from_on_its_line_are_under_its_cap() -> None:
    [question] = read("8(b) max 2 from: less waste (1); less pollution (1); recyclable (1)").questions
    assert [point.text for point in question.points] == ["less waste", "less pollution", "recyclable"]
    assert (question.total, question.max_mark) == (2, 2)


def test_codes_after_a_semicolon_are_points_of_their_own() -> None:
    [question] = read("12(b) M1A1 for 3x seen; dM1A1 x = 1.5\n(4)").questions
    assert (question.total, question.max_mark) == (4, 4)
    assert question.points[2].needs == ("M1",)


def test_a_table_whose_rows_begin_with_no_bar_is_a_table() -> None:
    found = read(
        "Question | Answer | Accept | Do not accept | Marks\n3(a) | photosynthesis | making glucose | respiration | 1\n"
        "3(b) | diffusion | | osmosis | 2"
    )
    assert [(each.number, each.max_mark, each.points[0].text) for each in found.questions] == [
        ("3(a)", 1, "photosynthesis"),
        ("3(b)", 2, "diffusion"),
    ]
    assert [each.points[0].reject for each in found.questions] == [("respiration",), ("osmosis",)]


def test_a_chinese_rule_before_numbered_items_of_its_line_rules_over_them() -> None:
    [question] = read("（2）答出一点得2分，共4分：①增大光照强度；②提高二氧化碳浓度；③适当升温").questions
    assert [(point.text, point.marks) for point in question.points] == [
        ("增大光照强度", 2),
        ("提高二氧化碳浓度", 2),
        ("适当升温", 2),
    ]
    assert (question.total, question.max_mark) == (4, 4)


def test_a_chinese_number_without_its_first_sign_and_wordings_that_earn_nothing() -> None:
    found = read("16题 (1) 渗透作用 (1分)\n(2) 水分子移动 (2分) 写出“扩散”不给分\n(3) 细胞壁 (1分) 或 原生质层 (1分)")
    assert [(each.number, each.max_mark) for each in found.questions] == [("16(1)", 1), ("16(2)", 2), ("16(3)", 1)]
    assert found.questions[1].points[0].reject == ("扩散",)
    assert found.questions[2].points[0].alternatives == ("原生质层",)
