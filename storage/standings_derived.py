"""How a response's standing, its pairs and its double marks are derived, as the statements that rewrite them."""

from __future__ import annotations

from storage.answer_pages import SAME_PAGES
from storage.taken_back import STILL_COUNTS

# The statements below work on the responses whose id is `:which`, a condition that `standings` puts in.
# A decision is live until a later row undoes it.
_LIVE = """SELECT d.id, d.response_id, d.marker_id, d.outcome, d.stage, d.mark FROM decisions d
    WHERE d.response_id {of} AND d.outcome <> 'undo'
      AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = d.id)"""

# The final mark is the latest decision; once there is an adjudicated one, what the exam's rule makes of the two. A mean
# between two steps goes up to the next. How far marks are apart is counted with 0 for "no response", as in totals.
# Read once for all responses and not for each again, which makes an import's half as long.
REFRESH_STANDINGS = f"""
WITH live AS MATERIALIZED ({_LIVE.format(of=":which")}),
latest AS (
    SELECT response_id, max(id) AS id, coalesce(mark, 0.0) AS mark, sum(stage <> 'imported') AS here
    FROM live WHERE stage <> 'adjudicated' GROUP BY response_id, marker_id
),
teachers AS (
    SELECT response_id, max(id) AS id, count(*) AS n, max(mark) AS most, min(mark) AS least, sum(here) AS here
    FROM latest GROUP BY response_id
),
rulings AS (SELECT response_id, max(id) AS id FROM live WHERE stage = 'adjudicated' GROUP BY response_id),
seen AS (
    SELECT r.id AS response_id, q.tolerance + 1e-9 AS allowed, q.mark_step, teachers.here,
           p.id AS proposal_id, p.status, p.confidence, p.mark AS ai,
           given.id AS given_id, given.outcome AS given_outcome, given.mark AS given_mark,
           ruled.id AS ruled_id, ruled.outcome AS ruled_outcome, ruled.mark AS ruled_mark,
           CASE WHEN ruled.id IS NOT NULL
                THEN coalesce(json_extract(e.settings, '$.what_stands'), 'adjudicator') END AS rule,
           CASE WHEN teachers.n + (p.mark IS NOT NULL) > 1
                THEN max(most, coalesce(p.mark, most)) - min(least, coalesce(p.mark, least)) END AS gap
    FROM responses r JOIN questions q ON q.id = r.question_id JOIN exams e ON e.id = q.exam_id
    LEFT JOIN teachers ON teachers.response_id = r.id LEFT JOIN decisions given ON given.id = teachers.id
    LEFT JOIN rulings ON rulings.response_id = r.id LEFT JOIN decisions ruled ON ruled.id = rulings.id
    LEFT JOIN proposals p ON p.id = (
        SELECT max(p.id) FROM proposals p JOIN judges j ON j.id = p.judge_id
        WHERE p.response_id = r.id AND {STILL_COUNTS.format(p="p")}
          AND CASE WHEN q.type IN ('single_choice', 'multiple_choice', 'numeric')
                   THEN j.kind = 'objective' OR j.id = e.judge_id AND j.kind = 'imported'
                   ELSE j.id = e.judge_id END)
    WHERE r.id :which
),
weighed AS (
    SELECT *, ruled_id IS NULL OR coalesce(rule = 'teacher' OR rule = 'within tolerance'
                                           AND abs(given_mark - ruled_mark) <= allowed, 0)
                                  AND given_outcome = 'mark' AND ruled_outcome = 'mark' AS kept,
           CASE WHEN rule = 'mean' THEN (given_mark + ruled_mark) / 2 END AS halved
    FROM seen
),
final AS (
    SELECT *, CASE WHEN kept THEN given_id ELSE ruled_id END AS id,
           CASE WHEN kept THEN given_outcome ELSE ruled_outcome END AS outcome,
           CASE WHEN kept THEN given_mark WHEN halved IS NULL THEN ruled_mark
                ELSE mark_step * (CAST(halved / mark_step AS INTEGER)
                                  + (halved / mark_step > CAST(halved / mark_step AS INTEGER))) END AS mark
    FROM weighed
)
UPDATE standings SET
    proposal_id = final.proposal_id,
    decision_id = final.id,
    outcome = final.outcome,
    final_mark = final.mark,
    marked = coalesce(final.here, 0) > 0 OR ruled_id IS NOT NULL,
    human = final.id IS NOT NULL,
    flagged = coalesce((SELECT kind = 'flag' FROM notes WHERE response_id = standings.response_id
                        AND kind IN ('flag', 'unflag') ORDER BY id DESC LIMIT 1), 0),
    unsure = final.status IS NOT 'proposed' OR final.confidence IS 'unsure',
    differs = final.id IS NOT NULL AND coalesce(abs(final.ai - coalesce(final.mark, 0.0)) > final.allowed, 0),
    adjudicated = ruled_id IS NOT NULL,
    gap = final.gap,
    disputed = coalesce(final.gap > final.allowed AND ruled_id IS NULL, 0)
FROM final WHERE standings.response_id = final.response_id
"""

FORGET_PAIRS = "DELETE FROM pairs WHERE response_id :which"
FORGET_DOUBLE_MARKED = "DELETE FROM double_marked WHERE response_id :which"

# Agreement counts a marker's latest blind or imported word on a response, the accept rate their latest with a proposal
# in view and that very proposal alone; a word that is no mark ("no response") makes no pair. A blind mark that is
# undone after its reveal still counts, or undoing would quietly remove just the disagreements; but no mark counts
# beside a proposal about other pages than its own. A decision's own proposal counts for its judge: it stood when the
# mark was given. A second teacher is no second response, and would narrow every interval for nothing: of several
# teachers' marks agreement counts the latest. Who took ten minutes had gone away.
REFRESH_PAIRS = f"""
WITH live AS ({_LIVE.format(of=":which")}),
latest AS (
    SELECT max(d.id) AS decision_id, d.response_id, d.marker_id, 'agreement' AS kind FROM decisions d
    WHERE d.response_id :which AND d.outcome <> 'undo' AND d.stage IN ('blind', 'imported')
      AND NOT EXISTS (
          SELECT 1 FROM decisions u WHERE u.undoes = d.id AND NOT (d.stage = 'blind' AND EXISTS (
              SELECT 1 FROM (SELECT response_id, marker_id, created_at FROM sightings
                             UNION ALL SELECT response_id, marker_id, created_at FROM shown) s
              WHERE s.response_id = d.response_id AND s.marker_id = d.marker_id AND s.created_at <= u.created_at)))
    GROUP BY d.response_id, d.marker_id
    UNION ALL
    SELECT max(id), response_id, marker_id, 'accept' FROM live
    WHERE stage = 'ai_first' GROUP BY response_id, marker_id
),
judged AS (
    SELECT c.decision_id, c.response_id, c.marker_id, c.kind, p.judge_id,
           coalesce(max(CASE WHEN p.id = d.proposal_id THEN p.id END), max(p.id)) AS proposal_id
    FROM latest c JOIN decisions d ON d.id = c.decision_id
    JOIN proposals p ON p.response_id = c.response_id AND p.status = 'proposed'
    WHERE d.outcome = 'mark' AND {STILL_COUNTS.format(p="p")} AND {SAME_PAGES.format(d="d", p="p")}
      AND (c.kind = 'agreement' OR p.id = d.proposal_id AND EXISTS (
        SELECT 1 FROM sightings s
        WHERE s.response_id = d.response_id AND s.marker_id = d.marker_id AND s.proposal_id = p.id
          AND s.created_at <= d.created_at))
    GROUP BY c.decision_id, c.response_id, c.marker_id, c.kind, p.judge_id
)
INSERT INTO pairs (response_id, marker_id, judge_id, kind, exam_id, question_id, stage, counted, handwritten,
                   confidence, ai_mark, teacher_mark, seconds, given_at, decision_id, proposal_id)
SELECT g.response_id, g.marker_id, g.judge_id, g.kind, r.exam_id, r.question_id, d.stage,
       g.kind = 'accept' OR d.id = max(d.id) OVER (PARTITION BY g.response_id, g.judge_id, g.kind),
       r.kind <> 'typed', coalesce(p.confidence, ''), p.mark, d.mark,
       CASE WHEN d.seconds > 0 AND d.seconds < 600 THEN d.seconds END, d.created_at, d.id, p.id
FROM judged g JOIN decisions d ON d.id = g.decision_id JOIN proposals p ON p.id = g.proposal_id
JOIN responses r ON r.id = g.response_id
"""

# The two earliest registered of several teachers, always in the same places: with one min() alone, what stands beside
# it is of its row. The AI's mark is that of the counted pair, of which there is one.
REFRESH_DOUBLE_MARKED = """
INSERT INTO double_marked (response_id, judge_id, exam_id, question_id, handwritten, ai_mark, first_mark, second_mark)
SELECT response_id, judge_id, exam_id, question_id, handwritten, ai_mark, first_mark, (
    SELECT s.teacher_mark FROM pairs s WHERE s.response_id = f.response_id AND s.judge_id = f.judge_id
    AND s.kind = 'agreement' AND s.marker_id > f.marker_id ORDER BY s.marker_id LIMIT 1)
FROM (
    SELECT response_id, judge_id, exam_id, question_id, handwritten, teacher_mark AS first_mark,
           min(marker_id) AS marker_id, sum(CASE WHEN counted = 1 THEN ai_mark END) AS ai_mark
    FROM pairs WHERE response_id :which AND kind = 'agreement' GROUP BY response_id, judge_id HAVING count(*) > 1
) f
"""

# In this order: double marks are counted from pairs, and pairs from decisions and proposals alone.
IN_ORDER = (REFRESH_STANDINGS, FORGET_DOUBLE_MARKED, FORGET_PAIRS, REFRESH_PAIRS, REFRESH_DOUBLE_MARKED)
