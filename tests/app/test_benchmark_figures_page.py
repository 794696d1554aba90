"""The benchmarks' figures on the screen: what is reproduced, each table, and what a judge knows on its card."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.testing.v1 import AppTest

from components.intake.benchmarks.items import Benchmark, Item, Loaded
from components.marking import Role
from storage import Store, benchmarks, judges, sittings
from tests.support import add_exam, add_marker
from tests.unit.test_benchmark_figures import objective, written


def drawn(loaded: list[Loaded]) -> AppTest:
    def page(loaded):  # type: ignore[no-untyped-def]  # its source is run where no name is known
        from pages.pilot.benchmarks_figures import figures_section

        figures_section(loaded)

    st.cache_data.clear()
    at = AppTest.from_function(page, args=(loaded,), default_timeout=30).run()
    assert not at.exception
    return at


def said(at: AppTest) -> str:
    parts = [*at.markdown, *at.caption, *at.info, *at.warning, *at.subheader]
    return "\n".join(each.value for each in parts).replace("\\", "")


def results(*found: object) -> Loaded:
    return Loaded.model_validate({"benchmark": Benchmark.GAOKAO_BENCH, "name": "Results", "results": found})


def test_results_are_shown_with_every_table_and_its_file() -> None:
    at = drawn(
        [
            results(*[objective(f"【答案】{letter} <eoa>", "B", number=letter) for letter in "ABCD"]),
            results(*[written(given=(7.5,), number="x"), *[written(given=(n,), number=str(n)) for n in range(4)]]),
            results(*[written(human=(n, n), number=str(n), judge="", reply="other") for n in range(10)]),
        ]
    )
    text = said(at)
    assert "By the published rules 6 of 24 marks on 4 questions" in text
    assert "Of 5 answers 1 got no valid mark" in text
    assert "all pairs are identical" in text
    assert "No judge has marked these double-marked answers yet" in text
    assert list(at.table[0].value.columns) == ["Figure", "Published", "Here", "By our rules", "Same"]
    assert len(at.get("download_button")) == len(at.dataframe) + len(at.table)


def test_a_folder_of_questions_alone_says_what_to_do_next() -> None:
    at = drawn([Loaded(benchmark=Benchmark.M3KE, name="dev")])
    assert "Let a model sit them" in said(at)
    assert not at.dataframe


def test_a_models_own_results_have_no_published_figure_and_say_so() -> None:
    assert "None of these results has a published figure" in said(drawn([results(objective("【答案】B", "B"))]))


def sat(store: Store, judge_id: int, rights: dict[str, list[bool]]) -> int:
    """The sitting in which the judge's model answered a set with these tasks, by subject, right or wrong."""
    items = [
        Item(
            benchmark=Benchmark.E_EVAL, task=f"high_school_{subject.lower()}", number=str(n), split="val",
            question="?", options=dict.fromkeys("ABCD", "x"), key=("A",), subject=subject, level="High school",
        )
        for subject, outcomes in rights.items()
        for n in range(len(outcomes))
    ]  # fmt: skip
    marks = [float(right) for outcomes in rights.values() for right in outcomes]
    with store.write() as db:
        rows = ((item.task, item.split, item.model_dump_json()) for item in items)
        set_id = benchmarks.add(db, "e_eval", "E-EVAL", "0" * 64, [], rows)
        sitting_id = sittings.add(db, set_id, judge_id, {}, None)
        ids = [row["id"] for row in db.execute("SELECT id FROM benchmark_items ORDER BY position")]
        answers = (sittings.Answer("answered", "A", ("A",), mark, "") for mark in marks)
        sittings.keep(db, sitting_id, zip(ids, answers, strict=True))
    return sitting_id


def test_a_judges_card_says_what_its_model_knows_until_the_sitting_is_archived(
    store: Store, app: Callable[..., AppTest]
) -> None:
    add_exam(store, [["the enzyme is denatured"]])
    lead = add_marker(store, "Dr Li", Role.PILOT)
    with store.write() as db:
        judge_id = judges.ensure(db, "Small", judges.LLM, "small", {"base_url": "http://127.0.0.1:9/v1"})
    sitting_id = sat(store, judge_id, {"Biology": [True] * 55 + [False] * 5, "Mathematics": [True, False] * 30})
    at = app("pages/pilot/judges.py", lead)
    assert not at.exception
    text = said(at)
    assert "Knows 92% of high-school biology (likely 82–96%, 60 questions), 50% of high-school mathematics" in text
    assert "Not shown to know high-school mathematics" in text
    assert [table.value["Questions"].tolist() for table in at.dataframe] == [[60, 60]]
    with store.write() as db:
        sittings.archive(db, sitting_id)
    at.run()
    assert "Knows" not in said(at)
