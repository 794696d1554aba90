"""What each figure means, in words for people who know no statistics, with its formula for those who do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Definition:
    term: str
    plain: str
    exact: str


DEFINITIONS = (
    Definition(
        "Pair",
        "One response that has both an AI's mark and the mark of a teacher who had not seen it. Everything called "
        "agreement here is counted over pairs.",
        "Blind and imported marks against the standing proposal of the judge; where several teachers marked a "
        "response, the latest mark.",
    ),
    Definition(
        "Blind, imported, in view",
        "Blind: the teacher marked before the AI's mark was shown. Imported: the mark was given elsewhere and brought "
        "in. In view: the teacher saw the AI's mark first, and is swayed by it; such marks make the accept rate and "
        "nothing else.",
        "Stages blind, imported and ai_first; never pooled.",
    ),
    Definition(
        "QWK",
        "How closely two markers rank and place the same responses: 1 is perfect, 0 is what chance would bring. A "
        "large difference costs more than several small ones. From .70 on, two markers are commonly taken to be "
        "close enough.",
        "Quadratic weighted kappa, 1 − nΣd² / (nΣx² + nΣy² − 2ΣxΣy), d = x − y, x the AI's mark, y the teacher's. "
        "Where the maximum is one step it is Cohen's κ.",
    ),
    Definition(
        "QWK of the exam",
        "The questions' QWKs in one figure: their mean, where a question of many marks counts for more; or, while most "
        "questions have few pairs, one QWK made from all questions' differences together (pooled).",
        "Aggregate ΣM·QWK / ΣM over the questions where QWK is defined; pooled 1 − ΣA/ΣB, A = mean d²/M, "
        "B = mean (x_i − y_j)²/M over i ≠ j. Pooled leads while the median question has under 20 pairs.",
    ),
    Definition(
        "Likely (interval)",
        "The range in which the true figure lies, as far as these pairs can tell. In 20 such ranges about one misses. "
        "A wide range means: too few pairs to be sure.",
        "95%. QWK: delta method on atanh, t with n − 1 df; over questions: cluster bootstrap, B = 2,000, fixed seed, "
        "or t with K_eff − 1 df where K_eff < 30; shares: Wilson; means: t.",
    ),
    Definition(
        "Exactly the same; within tolerance",
        "The share of pairs with the same mark; the share whose marks are no further apart than the question allows "
        "two markers to be.",
        "Share with d = 0; share with |d| ≤ t, the question's own tolerance.",
    ),
    Definition(
        "Mean difference; bias",
        "By how much the AI gives more (+, lenient) or less (−, severe) than teachers on average, in marks or as a "
        "share of the maximum.",
        "mean d; 100 · mean(d / M).",
    ),
    Definition(
        "Typical distance (MAE, RMSE)",
        "How many marks apart the two are on average, whichever way; RMSE lets large differences count for more.",
        "mean |d|; √mean d².",
    ),
    Definition(
        "Spread (SD) and limits of agreement",
        "How much the difference varies from response to response. About 95 in 100 differences lie between the limits.",
        "SD of d with n − 1; Bland–Altman limits, mean d ± 1.96 SD.",
    ),
    Definition(
        "Linear κ, AC1, AC2, α",
        "Other ways to take chance out of agreement. AC1 and AC2 do not fall when nearly all marks are the same, as on "
        "an easy question.",
        "Linear weighted κ; Gwet's AC1, and AC2 with quadratic weights on the full scale; Krippendorff's α, interval "
        "level.",
    ),
    Definition(
        "R_A, R_H, Δ",
        "On responses that two teachers have marked: how closely the AI agrees with them (R_A), how closely they agree "
        "with each other (R_H), and the difference. Δ near 0 or above: the AI is as close as a second teacher.",
        "R_A = ½[QWK(AI, E1) + QWK(AI, E2)], R_H = QWK(E1, E2), Δ = R_A − R_H, all on one set of questions and one "
        "shared resample.",
    ),
    Definition(
        "Accept rate",
        "The share of proposals that teachers who saw them left as they were. It is no agreement: who sees a mark "
        "first leans towards it.",
        "Share of ai_first marks equal to the proposal; Wilson interval.",
    ),
    Definition(
        "Anchoring",
        "How much more often a teacher gives the AI's mark when it is in view than when it is not.",
        "Exact share in view less exact share blind, over the questions that have both; Newcombe's interval.",
    ),
    Definition(
        "Surest first",
        "If only the responses the AI was surest of had been given a quick look, how many of them would be outside "
        "tolerance.",
        "Coverage–error: cumulative from the surest level of confidence down; Wilson interval.",
    ),
    Definition(
        "Drift",
        "A warning that the AI's marks have moved away, up or down, from what they were on the first 100 blind marks.",
        "Two-sided CUSUM on z = (d − μ_q)/σ_q, k = .25, h = 12.",
    ),
    Definition(
        "What stands where there is little data",
        "Under 10 pairs no QWK is given; from 10 to 29 it is provisional. Where all marks are the same it cannot be "
        "measured.",
        "too few; provisional; plain; identical.",
    ),
)
