"""Scripts on paper without codes: cut by the template, given to a candidate only where order and print agree."""

import io
import stat
import zipfile
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from components.intake.answer_book import print_separators
from components.intake.page_regions import ScanFault, TemplateRegion
from components.intake.scan_pages import ScanFile, page_count, pages_of
from components.intake.scan_plan import finish, read_scripts
from components.intake.scan_types import ScanPlan, Settled
from components.intake.scan_zip import unpack_scans
from tests.scans import Wear, draw_token, read_token, rendered, scan_pdf, scan_tiff, scanned

CANDIDATES = ("0417", "0418", "0420")
QUESTIONS = (
    "Explain why the rate falls above forty degrees",
    "Describe the structure of a cell wall in plants",
    "State two products of respiration and where they form",
    "Draw the graph of the function between zero and ten",
    "Name the organelle marked with an X in the figure",
    "Compare mitosis with meiosis in animals",
)
TOPS = (100, 340, 580)  # points from the top, of the three questions on a page
REGIONS = tuple(
    TemplateRegion(str(index + 1), index // 3 + 1, 55 / 595, (TOPS[index % 3] + 12) / 842, 485 / 595, 160 / 842)
    for index in range(6)
)
WEARS = (
    Wear(angle=0.6, shift=(14, -18), noise=5, blur=0.6),
    Wear(angle=-1.7, shift=(-25, 30), noise=6, blur=0.5),
    Wear(angle=0.2, shift=(8, 5), scale=0.95, noise=4),
    Wear(angle=4.6, shift=(10, 0), noise=4, blur=0.5),
    Wear(angle=-0.4, noise=6, upside_down=True),
    Wear(angle=-4.2, scale=1.02, noise=5),
)


def paper(*, typed: bool = False) -> bytes:
    """The exam paper: a heading, three questions a page, six ruled lines for each; `typed` answers all but the last."""
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(595, 842), invariant=1)
    for page in range(2):
        canvas.setFont("Helvetica", 11)
        canvas.drawString(60, 800, "Mock paper 2026 Biology")
        canvas.drawString(480, 800, f"Page {page + 1}")
        for place, top in enumerate(TOPS):
            number = page * 3 + place
            canvas.drawString(60, 842 - top, f"{number + 1}. {QUESTIONS[number]}")
            canvas.drawString(510, 842 - top, "[3]")
            canvas.setStrokeGray(0.6)
            for line in range(1, 7):
                canvas.line(60, 842 - top - 5 - line * 25, 535, 842 - top - 5 - line * 25)
            canvas.setFillGray(0.7)
            canvas.drawString(60, 842 - top - 153, "Give a reason:")
            canvas.setFillGray(0)
            if typed and number != 5:
                canvas.drawString(70, 842 - top - 28, f"Answer to {number + 1}: the enzyme")
                canvas.drawString(70, 842 - top - 53, "is denatured.")
        canvas.showPage()
    canvas.save()
    return out.getvalue()


@lru_cache(maxsize=1)
def template_pages() -> tuple[Image.Image, ...]:
    return tuple(rendered(paper()))


def token_of(candidate: str, question: str) -> int:
    return 16 * CANDIDATES.index(candidate) + int(question)


def script(candidate: str, skip: str = "") -> list[Image.Image]:
    pages = [page.copy() for page in template_pages()]
    for region in REGIONS:
        if region.question != skip:
            page = pages[region.page - 1]
            x, y = (region.x + region.w / 2) * page.width, (region.y + region.h / 2) * page.height
            draw_token(page, token_of(candidate, region.question), x, y)
    return pages


@lru_cache(maxsize=1)
def worn_pages() -> tuple[Image.Image, ...]:
    pages = [page for candidate in CANDIDATES for page in script(candidate)]
    return tuple(scanned(page, wear, seed) for seed, (page, wear) in enumerate(zip(pages, WEARS, strict=True)))


def class_pages() -> list[Image.Image]:
    return list(worn_pages())


@lru_cache(maxsize=1)
def empty() -> Image.Image:
    return scanned(Image.new("L", template_pages()[0].size, 255), Wear(noise=5))


def read(folder: Path, by: str, *files: tuple[str, bytes], **options: object) -> ScanPlan:
    scans = [ScanFile(name, content) for name, content in files]
    names = options.pop("candidates", CANDIDATES)
    reading = read_scripts(scans, ScanFile("paper.pdf", paper()), REGIONS, names, folder, by=by, **options)  # type: ignore[arg-type]
    return finish(reading)


def check_all(plan: ScanPlan) -> None:
    assert plan.ok, [row.message for row in plan.problems]
    found = {(cut.candidate, cut.question): read_token(cut.picture()) for cut in plan.storable()}
    assert found == {(c, r.question): token_of(c, r.question) for c in CANDIDATES for r in REGIONS}


def test_a_class_pdf_with_fixed_pages_is_cut_in_spite_of_drift_skew_scale_and_upside_down_pages(
    tmp_path: Path,
) -> None:
    plan = read(tmp_path, "fixed pages", ("class.pdf", scan_pdf(class_pages())))
    check_all(plan)
    assert not any(cut.blank for cut in plan.cuts)
    assert [row.result for row in plan.report] == ["used"] * 6
    assert not plan.warnings


def test_a_page_count_that_cannot_be_shared_out_is_refused_before_anything_is_cut(tmp_path: Path) -> None:
    with pytest.raises(ScanFault, match="5 pages, but 3 candidates with 2 pages each would have 6"):
        read(tmp_path, "fixed pages", ("class.pdf", scan_pdf(class_pages()[:5])))


def test_two_pages_in_the_wrong_order_are_found_by_their_print_and_nothing_of_that_candidate_is_kept(
    tmp_path: Path,
) -> None:
    pages = class_pages()
    pages[2], pages[3] = pages[3], pages[2]
    plan = read(tmp_path, "fixed pages", ("class.pdf", scan_pdf(pages)))
    assert [(row.page, row.result) for row in plan.problems][:2] == [(3, "unreadable"), (4, "unreadable")]
    assert "“class.pdf” page 3, expected to be candidate 0418 page 1" in plan.problems[0].message
    assert {cut.candidate for cut in plan.cuts} == {"0417", "0420"}
    settled = {("class.pdf", 3): Settled("0418", 2), ("class.pdf", 4): Settled("0418", 1)}
    check_all(read(tmp_path, "fixed pages", ("class.pdf", scan_pdf(pages)), settled=settled))


def test_a_lost_page_made_up_for_by_a_foreign_one_is_noticed(tmp_path: Path) -> None:
    pages = class_pages()
    strange = template_pages()[0].transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    plan = read(tmp_path, "fixed pages", ("class.pdf", scan_pdf([*pages[:1], *pages[2:], strange])))
    assert not plan.ok
    assert {row.page for row in plan.problems if row.page} >= {2, 6}
    assert plan.cuts == ()


def test_blank_separators_follow_the_list_and_two_blank_sides_are_one_separator(tmp_path: Path) -> None:
    pages = class_pages()
    content = scan_pdf([*pages[:2], empty(), empty(), *pages[2:4], empty(), *pages[4:]])
    plan = read(tmp_path, "blank separators", ("class.pdf", content))
    check_all(plan)
    assert [row.result for row in plan.report].count("separator") == 3


def test_blank_separators_that_do_not_fit_the_list_give_nobody_anything(tmp_path: Path) -> None:
    pages = class_pages()
    plan = read(tmp_path, "blank separators", ("class.pdf", scan_pdf([*pages[:2], empty(), *pages[2:4]])))
    assert plan.cuts == ()
    assert "2 scripts, but the list has 3 candidates" in plan.problems[0].message


@pytest.mark.parametrize("missing", [2, 4])
def test_a_lost_blank_separator_is_a_problem(tmp_path: Path, missing: int) -> None:
    pages = class_pages()
    scan = [*pages[:2], empty(), *pages[2:4], empty(), *pages[4:]]
    del scan[2 if missing == 2 else 5]
    plan = read(tmp_path, "blank separators", ("class.pdf", scan_pdf(scan)))
    assert not plan.ok
    assert plan.cuts == ()


def test_coded_separators_say_whose_script_follows_in_any_order(tmp_path: Path) -> None:
    pages = class_pages()
    codes = [scanned(page, WEARS[0], 9) for page in rendered(print_separators(["0420", "0417", "0418"]))]
    content = scan_pdf([codes[0], empty(), *pages[4:], codes[1], *pages[:2], codes[2], *pages[2:4]])
    plan = read(tmp_path, "coded separators", ("class.pdf", content))
    check_all(plan)
    assert [row.result for row in plan.report][:3] == ["separator", "separator", "used"]


def test_a_lost_coded_separator_and_an_unknown_one_are_problems(tmp_path: Path) -> None:
    pages = class_pages()
    codes = rendered(print_separators(["0417", "9999", "0418"]))
    lost = read(tmp_path / "lost", "coded separators", ("a.pdf", scan_pdf([codes[0], *pages[:4]])))
    assert [row.result for row in lost.problems] == ["extra page", "extra page"]
    assert "is a separator missing before it?" in lost.problems[0].message
    assert lost.cuts == ()
    unknown = read(tmp_path / "unknown", "coded separators", ("a.pdf", scan_pdf([codes[1], *pages[:2]])))
    assert "candidate 9999, who is not in the class list" in unknown.problems[0].message
    assert unknown.cuts == ()
    none = read(tmp_path / "none", "coded separators", ("a.pdf", scan_pdf([*pages[:2], codes[2], *pages[2:4]])))
    assert [row.page for row in none.problems] == [1, 2], [row.message for row in none.problems]
    assert {cut.candidate for cut in none.cuts} == {"0418"}


def test_a_bar_code_on_a_separator_is_read(tmp_path: Path) -> None:
    import zxingcpp

    bars = zxingcpp.create_barcode("0418", zxingcpp.BarcodeFormat.Code128).to_image(scale=3)
    sheet = Image.new("L", template_pages()[0].size, 255)
    sheet.paste(Image.fromarray(np.asarray(bars)).resize((330, 120), Image.Resampling.NEAREST), (400, 600))
    content = scan_pdf([scanned(sheet, Wear(angle=1.2, noise=5, blur=0.5)), *class_pages()[2:4]])
    plan = read(tmp_path, "coded separators", ("a.pdf", content))
    assert plan.ok
    assert {cut.candidate for cut in plan.cuts} == {"0418"}


def test_one_file_a_candidate_is_given_by_its_name(tmp_path: Path) -> None:
    pages = class_pages()
    plan = read(
        tmp_path,
        "file",
        ("0417.pdf", scan_pdf(pages[:2])),
        ("Biology_0418_scan.tif", scan_tiff(pages[2:4])),
        ("x/0420.pdf", scan_pdf(pages[4:])),
    )
    check_all(plan)


def test_a_file_name_that_names_nobody_or_two_people_is_a_problem(tmp_path: Path) -> None:
    pages = class_pages()
    plan = read(tmp_path, "file", ("417.pdf", scan_pdf(pages[:2])), ("0418 0420.pdf", scan_pdf(pages[2:4])))
    assert plan.cuts == ()
    assert {row.result for row in plan.problems} == {"unknown candidate"}
    words = " ".join(row.message for row in plan.problems)
    assert "could mean candidate 0418 or 0420" in words
    assert "has no candidate number of the class list" in words


def test_an_extra_page_in_a_candidates_file_is_a_problem_until_left_out(tmp_path: Path) -> None:
    pages = class_pages()
    files = [("0417.pdf", scan_pdf([empty(), *pages[:2]]))]
    plan = read(tmp_path, "file", *files)
    assert {row.page for row in plan.problems if row.page} == {1, 2, 3}
    assert plan.cuts == ()
    settled = read(tmp_path, "file", *files, settled={("0417.pdf", 1): Settled()})
    assert settled.ok
    assert len(settled.cuts) == 6


def test_a_blank_answer_is_found_though_its_lines_are_printed(tmp_path: Path) -> None:
    pages = [scanned(page, wear, 3) for page, wear in zip(script("0417", skip="2"), WEARS[:2], strict=True)]
    plan = read(tmp_path, "file", ("0417.pdf", scan_pdf(pages)))
    assert [cut.question for cut in plan.cuts if cut.blank] == ["2"]


def test_printed_text_of_a_pdf_is_text_and_that_of_the_paper_itself_is_not(tmp_path: Path) -> None:
    plan = read(tmp_path, "file", ("0417.pdf", paper(typed=True)))
    assert [cut.text for cut in plan.cuts[:5]] == [f"Answer to {n}: the enzyme\nis denatured." for n in range(1, 6)]
    assert (plan.cuts[5].text, plan.cuts[5].blank) == ("", True)


def test_files_that_cannot_be_read_are_named_and_the_others_still_read(tmp_path: Path) -> None:
    good = scan_pdf(class_pages()[:2])
    plan = read(tmp_path, "file", ("0418.pdf", good[: len(good) // 3]), ("0420.pdf", b"not a pdf"), ("0417.pdf", good))
    assert {row.file for row in plan.problems if row.page == 0 and row.file} == {"0418.pdf", "0420.pdf"}
    assert {cut.candidate for cut in plan.cuts} == {"0417"}


def locked_pdf() -> bytes:
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    canvas = Canvas(out, encrypt=StandardEncryption("secret"))
    canvas.drawString(10, 10, "x")
    canvas.save()
    return out.getvalue()


def huge_pdf() -> bytes:
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(14000, 14000))
    canvas.drawString(10, 10, "x")
    canvas.save()
    return out.getvalue()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (locked_pdf(), "“scan.pdf” has a password"),
        (huge_pdf(), "“scan.pdf” page 1 is 494 × 494 cm"),
        (b"%PDF-1.7\nrubbish", "“scan.pdf” is not a PDF that can be read"),
        (b"", "“scan.pdf” is not a PDF that can be read"),
        (
            b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
            b"trailer<</Root 1 0 R>>\n%%EOF",
            "“scan.pdf”",
        ),
    ],
)
def test_a_pdf_that_cannot_be_used_is_refused_in_words(content: bytes, words: str) -> None:
    with pytest.raises(ScanFault, match=words):
        list(pages_of(ScanFile("scan.pdf", content)))


def test_pages_of_tiff_and_odd_pictures_come_in_grey_on_white() -> None:
    assert page_count(ScanFile("a.tiff", scan_tiff(class_pages()[:3]))) == 3
    for mode, colour in (("1", 1), ("P", 0), ("RGBA", (255, 255, 255, 0)), ("I;16", 65535), ("CMYK", (0, 0, 0, 0))):
        out = io.BytesIO()
        picture = Image.new(mode, (300, 400), colour)
        if mode == "P":
            picture.putpalette([255, 255, 255] * 256)
        picture.save(out, "TIFF")
        (page,) = pages_of(ScanFile("a.tif", out.getvalue()))
        assert page.grey.getextrema() == (255, 255), mode


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes]) -> ScanFile:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return ScanFile("scans.zip", out.getvalue())


def test_a_zip_of_folders_and_files_named_by_candidate_is_read(tmp_path: Path) -> None:
    pages = class_pages()

    def png(page: Image.Image) -> bytes:
        out = io.BytesIO()
        page.save(out, "PNG", compress_level=1)
        return out.getvalue()

    content = zipped(
        ("class/0417/page10.png", png(pages[1])),
        ("class/0417/page9.png", png(pages[0])),
        ("class/0418.pdf", scan_pdf(pages[2:4])),
        ("class/0420/scan.pdf", scan_pdf(pages[4:])),
        ("__MACOSX/class/._0418.pdf", b"x"),
    ).content
    assert isinstance(content, bytes)
    check_all(read(tmp_path, "file", ("scans.zip", content)))


def link() -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo("0417.pdf")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry


@pytest.mark.parametrize(
    ("entry", "content", "words"),
    [
        ("../0417.pdf", b"x", "leads out of its folder"),
        ("a/../../0417.pdf", b"x", "leads out of its folder"),
        ("..\\0417.pdf", b"x", "leads out of its folder"),
        ("/etc/0417.pdf", b"x", "leads out of its folder"),
        ("C:/0417.pdf", b"x", "leads out of its folder"),
        (link(), b"/etc/passwd", "a link and not a file"),
        ("0417.zip", b"x", "an archive inside the archive"),
        ("0417.pdf", b"PK\x03\x04rest", "is an archive"),
        ("0417.exe", b"x", "not a PDF or a picture"),
        ("0417.pdf", bytes(3_000_000), "unpacks to more than is allowed"),
    ],
)
def test_zip_attacks_are_refused_and_leave_nothing(
    tmp_path: Path, entry: str | zipfile.ZipInfo, content: bytes, words: str
) -> None:
    inside = tmp_path / "in"
    with pytest.raises(ScanFault, match=words):
        unpack_scans(zipped((entry, content)), inside, largest_file=1_000_000)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_zip_that_lies_about_its_sizes_has_too_many_files_or_is_cut_off_is_refused(tmp_path: Path) -> None:
    honest = zipped(("0417.pdf", bytes(3_000_000))).content
    assert isinstance(honest, bytes)
    size = (3_000_000).to_bytes(4, "little")
    lying = honest.replace(size, (100).to_bytes(4, "little"))
    with pytest.raises(ScanFault, match=r"0417\.pdf"):
        unpack_scans(ScanFile("scans.zip", lying), tmp_path / "a", largest_file=1_000_000)
    with pytest.raises(ScanFault, match="has 4 files; 3 are the most"):
        unpack_scans(zipped(*((f"{i}.pdf", b"x") for i in range(4))), tmp_path / "b", most_files=3)
    with pytest.raises(ScanFault, match="unpacks to more"):
        unpack_scans(zipped(*((f"{i}.pdf", bytes(600)) for i in range(4))), tmp_path / "c", largest=2000)
    with pytest.raises(ScanFault, match="cut off"):
        unpack_scans(ScanFile("scans.zip", honest[:-30]), tmp_path / "d")
    with pytest.raises(ScanFault, match="twice"):
        unpack_scans(zipped(("a\\1.pdf", b"x"), ("a/1.pdf", b"x")), tmp_path / "e")


def test_a_region_outside_the_page_is_refused() -> None:
    with pytest.raises(ScanFault, match="leaves the page"):
        TemplateRegion("1", 1, 0.5, 0.5, 0.6, 0.2)


def test_an_answer_cut_off_by_the_scanner_is_a_problem(tmp_path: Path) -> None:
    pages = script("0417")
    moved = [scanned(pages[0], Wear(shift=(-150, 0), noise=4)), scanned(pages[1], Wear(noise=4))]
    plan = read(tmp_path, "file", ("0417.pdf", scan_pdf(moved)))
    assert "lies beyond the edge of the scan" in plan.problems[0].message
    assert plan.cuts == ()
