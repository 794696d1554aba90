"""How well two sets of marks agree: arrays in, frozen figures out, None with its reason where undefined."""

from components.agreement.chance import beyond_chance, mean_probability, pairs_to_settle
from components.agreement.cluster import Ratio, cluster_interval, resample_counts
from components.agreement.coefficients import (
    Correlations,
    IntraclassCorrelations,
    correlations,
    gwet_ac1,
    gwet_ac2,
    icc,
    krippendorff_alpha,
    prmse,
)
from components.agreement.confidence import CoveragePoint, coverage_error
from components.agreement.differences import Differences, differences, share, weighted_exact, wilson_interval
from components.agreement.drift import Standardised, standardised_differences
from components.agreement.exam import (
    ExamAgreement,
    LeftOut,
    QuestionPairs,
    QuestionSums,
    exam_agreement,
    exam_from_sums,
    question_sums,
)
from components.agreement.fairness import GroupBias, group_bias, standardised_bias
from components.agreement.judges import JudgeComparison, JudgeFigures, judge_comparison
from components.agreement.kappa import (
    cohen_kappa,
    linear_weighted_kappa,
    quadratic_weighted_kappa,
    quadratic_weighted_kappa_interval,
    qwk_standard_error,
)
from components.agreement.live import (
    Cusum,
    anchoring_effect,
    anchoring_effect_over,
    anytime_interval,
    anytime_multiplier,
    cusum,
    sample_size,
)
from components.agreement.question import QuestionAgreement, question_agreement
from components.agreement.ranges import RangeBias, bias_by_range
from components.agreement.results import Coverage, Interval, Share, Standing, Statistic
from components.agreement.running import Running, moments, running_agreement, running_share
from components.agreement.second_marker import QuestionReport, SecondMarkerReport, second_marker_report
from components.agreement.sums import SumsAgreement, from_sums
from components.agreement.totals import SubjectPart, converted_total, same_grade
from components.agreement.wording import count_of, exact_text, kappa_text, kappa_with_interval

__all__ = [
    "Correlations",
    "Coverage",
    "CoveragePoint",
    "Cusum",
    "Differences",
    "ExamAgreement",
    "GroupBias",
    "Interval",
    "IntraclassCorrelations",
    "JudgeComparison",
    "JudgeFigures",
    "LeftOut",
    "QuestionAgreement",
    "QuestionPairs",
    "QuestionReport",
    "QuestionSums",
    "RangeBias",
    "Ratio",
    "Running",
    "SecondMarkerReport",
    "Share",
    "Standardised",
    "Standing",
    "Statistic",
    "SubjectPart",
    "SumsAgreement",
    "anchoring_effect",
    "anchoring_effect_over",
    "anytime_interval",
    "anytime_multiplier",
    "beyond_chance",
    "bias_by_range",
    "cluster_interval",
    "cohen_kappa",
    "converted_total",
    "correlations",
    "count_of",
    "coverage_error",
    "cusum",
    "differences",
    "exact_text",
    "exam_agreement",
    "exam_from_sums",
    "from_sums",
    "group_bias",
    "gwet_ac1",
    "gwet_ac2",
    "icc",
    "judge_comparison",
    "kappa_text",
    "kappa_with_interval",
    "krippendorff_alpha",
    "linear_weighted_kappa",
    "mean_probability",
    "moments",
    "pairs_to_settle",
    "prmse",
    "quadratic_weighted_kappa",
    "quadratic_weighted_kappa_interval",
    "question_agreement",
    "question_sums",
    "qwk_standard_error",
    "resample_counts",
    "running_agreement",
    "running_share",
    "same_grade",
    "sample_size",
    "second_marker_report",
    "share",
    "standardised_bias",
    "standardised_differences",
    "weighted_exact",
    "wilson_interval",
]
