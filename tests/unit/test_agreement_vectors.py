"""The engine against values from nine published libraries, where the shared data lies beside the repository."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from components import agreement as ag
from components.agreement.cluster import standard_error

VECTORS = Path(__file__).parents[2].parent / "shared" / "data" / "agreement_vectors.json"
CASES: dict[str, dict[str, Any]] = (
    {case["id"]: case for case in json.loads(VECTORS.read_text(encoding="utf-8"))["cases"]} if VECTORS.exists() else {}
)
PAIR_CASES = [case for case in CASES.values() if case["kind"] == "pair" and "REJECT" not in case["expected"]]

pytestmark = pytest.mark.skipif(not CASES, reason="shared data absent")


def near(expected: float | list[float] | None) -> Any:
    return expected if expected is None else pytest.approx(expected, abs=1e-9)


def ends(interval: ag.Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


@pytest.mark.parametrize("case", PAIR_CASES, ids=lambda case: case["id"])
def test_differences_equal_the_vectors(case: dict[str, Any]) -> None:
    given, expected = case["input"], case["expected"]
    found = ag.differences(given["ai"], given["teacher"], given["max_mark"], tolerance=1, step=given["step"])
    assert found.n == expected["n"]
    assert found.exact.value == near(expected["exact_agreement"])
    assert ends(found.exact.interval) == near(expected["exact_wilson95"])
    assert found.within.value == near(expected["within_1_mark"])
    if given["max_mark"] > given["step"]:
        assert found.adjacent.value == near(expected["within_one_step"])
    assert found.mae.value == near(expected["mae"])
    assert found.rmse.value == near(expected["rmse"])
    assert found.mean_signed.value == near(expected["mean_signed_diff"])
    assert found.bias_percent.value == near(expected["mean_signed_diff_pct_of_max"])
    assert found.sd.value == near(expected["sd_diff"])
    limits = expected["bland_altman"]
    assert ends(found.limits) == near(None if limits[0] is None else limits)


@pytest.mark.parametrize("case", PAIR_CASES, ids=lambda case: case["id"])
def test_kappas_and_their_interval_equal_the_vectors(case: dict[str, Any]) -> None:
    ai, teacher, expected = case["input"]["ai"], case["input"]["teacher"], case["expected"]
    qwk = ag.quadratic_weighted_kappa_interval(ai, teacher)
    assert qwk.value == near(expected["qwk"])
    assert ag.quadratic_weighted_kappa(ai, teacher).value == near(expected["qwk"])
    assert ag.qwk_standard_error(ai, teacher).value == near(expected["qwk_delta_se"])
    assert ends(qwk.interval) == near(expected["qwk_ci95_atanh_t"])
    assert ag.linear_weighted_kappa(ai, teacher).value == near(expected["linear_weighted_kappa"])
    assert ag.cohen_kappa(ai, teacher).value == near(expected["kappa"])
    assert ("no spread" in qwk.note) == (expected["qwk_status"] == "zero_variance_one_rater")
    assert ("not measurable" in qwk.note) == (expected["qwk_status"] == "undefined_all_same_mark")
    one = ag.exam_agreement([ag.QuestionPairs("1", ai, teacher, case["input"]["max_mark"], case["input"]["step"])])
    assert one.pooled.value == near(expected["qwk_unbiased_pairs"])
    assert one.aggregate.value == near(expected["qwk"])


@pytest.mark.parametrize("case", PAIR_CASES, ids=lambda case: case["id"])
def test_other_coefficients_equal_the_vectors(case: dict[str, Any]) -> None:
    given, expected, library = case["input"], case["expected"], case["library_values"]
    ai, teacher = given["ai"], given["teacher"]
    both = np.column_stack([ai, teacher])
    ac2 = ag.gwet_ac2(ai, teacher, given["max_mark"], given["step"])
    assert ac2.value == near(expected["gwet_ac2_quadratic_full_scale"])
    ac1 = ag.gwet_ac1(ai, teacher, given["max_mark"], given["step"])
    published = library["irrCAC_py.gwetAC1(identity, full cats)"]
    if isinstance(published, float):
        assert ac1.value == pytest.approx(published, abs=1e-9)
    assert ag.krippendorff_alpha(both, "interval").value == near(expected["alpha_interval"])
    assert ag.krippendorff_alpha(both, "ordinal").value == near(expected["alpha_ordinal"])
    correlations = ag.correlations(ai, teacher)
    assert correlations.pearson.value == near(expected["pearson"])
    assert correlations.spearman.value == near(expected["spearman"])
    assert correlations.kendall.value == near(expected["kendall_tau_b"])
    icc = ag.icc(both)
    for found, name in ((icc.icc21, "agreement"), (icc.icc31, "consistency")):
        in_r = library.get(f"R.irr.icc(twoway,{name},single)")
        if isinstance(in_r, float):
            assert found.value == pytest.approx(in_r, abs=1e-9)
    undefined = [found for found in (ac2, correlations.pearson, icc.icc21) if found.value is None]
    assert all(found.note for found in undefined)


def test_a_mark_above_the_maximum_is_refused_by_its_position() -> None:
    given = CASES["out_of_range"]["input"]
    with pytest.raises(ValueError, match=r"Pair 4: the AI's mark 6 is above"):
        ag.question_agreement(given["ai"], given["teacher"], given["max_mark"])


def test_shrout_and_fleiss_intraclass_correlations() -> None:
    data = CASES["icc_shrout_fleiss"]["data"]
    found = ag.icc(data["data"])
    assert found.icc21.value == near(data["ours"]["icc21"])
    assert found.icc31.value == near(data["ours"]["icc31"])


def test_second_marker_report_aggregates_on_the_common_questions() -> None:
    data = CASES["aggregate_undefined"]["data"]
    ai, e1, e2, names, most = ([], [], [], [], [])
    for question in data["questions"]:
        ai += question["ai"]
        e1 += question["e1"]
        e2 += question["e2"]
        names += [question["q"]] * len(question["ai"])
        most += [question["max"]] * len(question["ai"])
    report = ag.second_marker_report(ai, e1, e2, names, most)
    expected = data["results"]["weighted_mean_common_questions__R_A_R_H_Delta"]
    assert [report.r_a.value, report.r_h.value, report.delta.value] == near(expected)
    assert str(report.coverage) == "3 of 5 questions, 69% of marks"
    for pair in ("ai-e1", "ai-e2", "e1-e2"):
        found = [getattr(question, pair.replace("-", "_")) for question in report.questions]
        per_question = data["results"]["per_question"][pair]
        assert [value is None for value in found] == [value is None for value in per_question]
        assert [v for v in found if v is not None] == near([v for v in per_question if v is not None])
    pooled = CASES["pooled_qwk"]["expected"]
    r_a = (pooled["ai-e1"]["pooled_qwk"] + pooled["ai-e2"]["pooled_qwk"]) / 2
    assert report.pooled_r_a.value == near(r_a)
    assert report.pooled_r_h.value == near(pooled["e1-e2"]["pooled_qwk"])
    assert report.pooled_delta.value == near(r_a - pooled["e1-e2"]["pooled_qwk"])


@pytest.mark.parametrize("pair", ["ai-e1", "ai-e2", "e1-e2"])
def test_pooled_qwk_and_its_standard_error_equal_the_vectors(pair: str) -> None:
    questions = CASES["aggregate_undefined"]["data"]["questions"]
    expected = CASES["pooled_qwk"]["expected"][pair]
    one, other = pair.split("-")
    found = ag.exam_agreement(ag.QuestionPairs(q["q"], q[one], q[other], q["max"]) for q in questions)
    assert found.pooled.value == near(expected["pooled_qwk"])
    assert found.headline == "pooled"
    drop = CASES["aggregate_undefined"]["data"]["results"]["weighted_mean_drop_pairwise"][pair]
    assert found.aggregate.value == near(drop)
    ratio = ag.Ratio(np.array(expected["A"]), np.array(expected["B"]), -1.0)
    assert standard_error([ratio]) == near(expected["se"])


def test_bootstrap_replicates_equal_the_vectors_on_given_counts() -> None:
    data = CASES["cluster_boot_fixed_counts"]["data"]
    k_a, k_h, w = (np.array(data[name]) for name in ("kA", "kH", "w"))
    counts = np.array(data["counts"], dtype=float)
    assert list(ag.Ratio(w * k_a, w).replicates(counts)) == near(data["replicates_RA"])
    assert list(ag.Ratio(w * k_h, w).replicates(counts)) == near(data["replicates_RH"])
    assert list(ag.Ratio(w * (k_a - k_h), w).replicates(counts)) == near(data["replicates_Delta"])
    assert ag.Ratio(w * k_a, w).value == near(data["R_A"])
    assert standard_error([ag.Ratio(w * k_a, w)]) == near(data["analytic_linearised_se_RA"])


def test_same_grade_share_equals_the_vector() -> None:
    data = CASES["grade_boundaries"]["data"]
    assert ag.same_grade(data["ai"], data["human"], data["boundaries"]).value == near(data["same"])


def test_prmse_equals_rsmtool() -> None:
    data = CASES["prmse_double_marked"]
    data = data.get("data", data)
    assert ag.prmse(data["m"], data["h1"], data["h2"]).value == near(data["rsmtool"])


def test_signed_bias_against_the_consensus_equals_the_vector() -> None:
    data = CASES["signed_bias"]["data"]
    report = ag.second_marker_report(data["ai"], data["e1"], data["e2"], ["1"] * 3, data["max"])
    assert report.bias_percent.value == near(data["expected_pct"])


def test_converted_total_equals_the_vector() -> None:
    data = CASES["gaokao_total"]["data"]
    parts = [ag.SubjectPart(p["R_obj"], p["M_obj"], p["R_subj"], p["M_subj"]) for p in data["parts"]]
    assert ag.converted_total(parts) == near(data["expected"])


def test_anytime_multiplier_equals_the_vector() -> None:
    case = CASES["asymp_cs_multiplier"]
    for n, multiplier in case["expected"].items():
        found = ag.anytime_multiplier(int(n), case["input"]["alpha"], case["input"]["rho2"])
        assert found == near(multiplier)


def test_inverse_probability_weights_equal_the_vector() -> None:
    case = CASES["ipw_qwk"]
    ai, blind, weights = case["input"]["ai"], case["input"]["blind"], 1 / np.array(case["input"]["pi"])
    assert ag.quadratic_weighted_kappa(ai, blind, weights).value == near(case["expected"]["qwk"])
    assert ag.weighted_exact(ai, blind, weights).value == near(case["expected"]["exact"])
