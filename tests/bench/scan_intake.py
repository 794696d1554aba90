"""300 A4 pages cut into responses, beside bare pypdfium2 rendering of the same pages.

Run `uv run python -m tests.bench.scan_intake [pages] [rounds]`.

Each measurement runs in a process of its own, one after the other. Goals: time at most 1.5 times bare rendering, peak
memory under 600 MB. Bare rendering is pypdfium2's default call for each page at 150 dpi, in one thread; cutting draws
pages in one thread too, and cuts in another. The pages are skewed up to 1°, shifted and noisy, one JPEG each.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from components.intake.answer_book import answer_book, print_answer_books
from components.intake.book_layout import BookQuestion
from components.intake.scan_pages import ScanFile, pages_of
from components.intake.scan_plan import finish, read_answer_books, read_scripts
from tests.scans import DPI, Wear, draw_token, rendered, scan_pdf, scanned

TEXT = "Explain in your own words what happens to the rate of reaction when the temperature rises."
QUESTIONS = [BookQuestion(str(number), TEXT, marks) for number, marks in enumerate((2, 3, 4, 2, 6, 3, 4), 1)]


def candidates(pages: int) -> list[str]:
    return [f"{number:04}" for number in range(1, pages // len(answer_book("Mock", QUESTIONS).pages) + 1)]


def make(folder: Path) -> int:
    """class.pdf: answer books, written in and scanned; paper.pdf: their empty pages, as a template."""
    book = answer_book("Mock", QUESTIONS)
    draw = np.random.default_rng(0)
    names = candidates(int((folder / "pages").read_text()))
    scans = []
    for first in range(0, len(names), 20):
        for index, page in enumerate(rendered(print_answer_books("Mock", QUESTIONS, names[first : first + 20]))):
            for number, frame in enumerate(book.pages[index % len(book.pages)].frames):
                for line in range(int(frame.h / 24)):
                    for x in range(160, 1000, 170):
                        draw_token(page, (number * 97 + x + line) % 2048, x, (frame.y + 20 + line * 24) * DPI / 72)
            wear = Wear(draw.uniform(-1, 1), tuple(draw.uniform(-15, 15, 2)), noise=5, blur=0.5)
            scans.append(scanned(page, wear, first + index))
    (folder / "class.pdf").write_bytes(scan_pdf(scans))
    paper = rendered(print_answer_books("Mock", QUESTIONS, names[:1]))
    for page in paper:  # an exam paper without codes
        page.paste(255, (90, 40, page.width - 90, 190))
        page.paste(255, (90, page.height - 190, 250, page.height - 40))
    (folder / "paper.pdf").write_bytes(scan_pdf(paper))
    return len(scans)


def bare(folder: Path) -> int:
    import pypdfium2

    pdf = pypdfium2.PdfDocument(folder / "class.pdf")
    for page in pdf:
        page.render(scale=DPI / 72).close()
        page.close()
    return len(pdf)


def books(folder: Path, *, colour: bool = False) -> int:
    names = candidates(int((folder / "pages").read_text()))
    with tempfile.TemporaryDirectory() as cuts:
        file = ScanFile("class.pdf", folder / "class.pdf")
        plan = finish(read_answer_books([file], answer_book("Mock", QUESTIONS), names, Path(cuts), colour=colour))
        return len(plan.storable())


def template(folder: Path) -> int:
    names = candidates(int((folder / "pages").read_text()))
    pages = answer_book("Mock", QUESTIONS).pages
    regions = [frame.region(number) for number, page in enumerate(pages, 1) for frame in page.frames]
    with tempfile.TemporaryDirectory() as cuts:
        files = [ScanFile(name, folder / name) for name in ("class.pdf", "paper.pdf")]
        plan = finish(read_scripts(files[:1], files[1], regions, names, Path(cuts), by="fixed pages"))
        return len(plan.storable())


def drawn(folder: Path) -> int:
    return sum(1 for _ in pages_of(ScanFile("class.pdf", folder / "class.pdf"), DPI))


WORK = {
    "bare": bare,
    "drawn": drawn,
    "books": books,
    "colour": lambda folder: books(folder, colour=True),
    "template": template,
}
SAYS = {
    "bare": "bare pypdfium2 rendering",
    "drawn": "drawn, with a grey version, one thread",
    "books": "answer books cut into responses",
    "colour": "answer books, cuts in colour",
    "template": "fixed pages cut by a template",
}


def child(kind: str, folder: Path) -> None:
    started, cpu = time.perf_counter(), time.process_time()
    count = make(folder) if kind == "make" else WORK[kind](folder)
    seconds, busy = time.perf_counter() - started, time.process_time() - cpu
    status = Path("/proc/self/status").read_text()  # getrusage would count the parent's memory before the exec
    peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    print(json.dumps({"seconds": seconds, "cpu": busy, "peak": peak, "count": count}))


def main() -> None:
    pages, times = (int(value) for value in (*sys.argv[1:3], *(300, 3)[len(sys.argv[1:3]) :]))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pages").write_text(str(pages))
        subprocess.run(
            [sys.executable, "-m", "tests.bench.scan_intake", "--child", "make", name],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        size = (folder / "class.pdf").stat().st_size / 1e6
        print(f"{pages} A4 pages at {DPI} dpi, {size:.0f} MB; medians of {times} rounds")
        rounds: dict[str, list[dict[str, float]]] = {kind: [] for kind in WORK}
        for _ in range(times):
            for kind, results in rounds.items():
                command = [sys.executable, "-m", "tests.bench.scan_intake", "--child", kind, name]
                results.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    for kind, results in rounds.items():
        ratio = np.median([a["seconds"] / b["seconds"] for a, b in zip(results, rounds["bare"], strict=True)])
        busy = np.median([a["cpu"] / b["cpu"] for a, b in zip(results, rounds["bare"], strict=True)])
        each = np.median([result["seconds"] for result in results]) / pages * 1000
        peak = max(result["peak"] for result in results)
        print(
            f"{SAYS[kind]:<40} {each:5.1f} ms a page · ratio {ratio:.2f} (processor time {busy:.2f}) · "
            f"peak {peak:4.0f} MB · {results[0]['count']:.0f} made"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], Path(sys.argv[3]))
    else:
        main()
