-- A pair also says what the marker could see, when and how quickly the mark was given, and how the answer came.
-- `counted`: where several teachers marked a response, only the latest mark makes a pair of the exam's agreement.
DROP TABLE pairs;
CREATE TABLE pairs (
    response_id INTEGER NOT NULL REFERENCES responses (id),
    marker_id INTEGER NOT NULL REFERENCES markers (id),
    judge_id INTEGER NOT NULL REFERENCES judges (id),
    kind TEXT NOT NULL CHECK (kind IN ('agreement', 'accept')), -- never pooled
    exam_id INTEGER NOT NULL,
    question_id INTEGER NOT NULL,
    stage TEXT NOT NULL CHECK (stage IN ('blind', 'imported', 'ai_first')),
    counted INTEGER NOT NULL CHECK (counted IN (0, 1)),
    handwritten INTEGER NOT NULL CHECK (handwritten IN (0, 1)),
    confidence TEXT NOT NULL, -- '' where the judge gave none
    ai_mark REAL NOT NULL,
    teacher_mark REAL NOT NULL,
    seconds REAL,
    given_at TEXT NOT NULL,
    decision_id INTEGER NOT NULL REFERENCES decisions (id),
    proposal_id INTEGER NOT NULL REFERENCES proposals (id),
    PRIMARY KEY (response_id, marker_id, judge_id, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX pairs_by_question ON pairs (exam_id, kind, question_id, judge_id, ai_mark, teacher_mark);
CREATE INDEX pairs_in_time ON pairs (exam_id, kind, judge_id, decision_id);
CREATE INDEX pairs_by_marker ON pairs (exam_id, marker_id, kind);

-- How many counted pairs are alike: all that the live figures need, whatever the number of responses.
CREATE TABLE tallies (
    exam_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    question_id INTEGER NOT NULL,
    judge_id INTEGER NOT NULL,
    stage TEXT NOT NULL,
    handwritten INTEGER NOT NULL,
    confidence TEXT NOT NULL,
    ai_mark REAL NOT NULL,
    teacher_mark REAL NOT NULL,
    n INTEGER NOT NULL,
    timed INTEGER NOT NULL, -- of them, how many have a time
    seconds REAL NOT NULL,
    PRIMARY KEY (exam_id, kind, question_id, judge_id, stage, handwritten, confidence, ai_mark, teacher_mark)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER pairs_are_tallied AFTER INSERT ON pairs WHEN new.counted = 1 BEGIN
    INSERT INTO tallies VALUES (
        new.exam_id, new.kind, new.question_id, new.judge_id, new.stage, new.handwritten, new.confidence, new.ai_mark,
        new.teacher_mark, 1, new.seconds IS NOT NULL, coalesce(new.seconds, 0.0)
    ) ON CONFLICT DO UPDATE SET
        n = n + 1, timed = timed + excluded.timed, seconds = tallies.seconds + excluded.seconds;
END;
CREATE TRIGGER pairs_leave_their_tally AFTER DELETE ON pairs WHEN old.counted = 1 BEGIN
    UPDATE tallies SET n = n - 1, timed = timed - (old.seconds IS NOT NULL),
        seconds = CASE WHEN n = 1 THEN 0.0 ELSE seconds - coalesce(old.seconds, 0.0) END
    WHERE (exam_id, kind, question_id, judge_id, stage, handwritten, confidence, ai_mark, teacher_mark) = (
        old.exam_id, old.kind, old.question_id, old.judge_id, old.stage, old.handwritten, old.confidence, old.ai_mark,
        old.teacher_mark);
END;
CREATE TRIGGER pairs_are_replaced BEFORE UPDATE ON pairs BEGIN
    SELECT RAISE(ABORT, 'a pair is taken away and made again, so that its tally follows');
END;

-- Responses with a judge's mark and those of two teachers who did not see it: is the AI as close to them as they are
-- to each other?
CREATE TABLE double_marked (
    response_id INTEGER NOT NULL REFERENCES responses (id),
    judge_id INTEGER NOT NULL REFERENCES judges (id),
    exam_id INTEGER NOT NULL,
    question_id INTEGER NOT NULL,
    handwritten INTEGER NOT NULL CHECK (handwritten IN (0, 1)),
    ai_mark REAL NOT NULL,
    first_mark REAL NOT NULL,
    second_mark REAL NOT NULL,
    PRIMARY KEY (response_id, judge_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE double_tallies (
    exam_id INTEGER NOT NULL,
    question_id INTEGER NOT NULL,
    judge_id INTEGER NOT NULL,
    handwritten INTEGER NOT NULL,
    ai_mark REAL NOT NULL,
    first_mark REAL NOT NULL,
    second_mark REAL NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (exam_id, question_id, judge_id, handwritten, ai_mark, first_mark, second_mark)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER double_marked_are_tallied AFTER INSERT ON double_marked BEGIN
    INSERT INTO double_tallies VALUES (
        new.exam_id, new.question_id, new.judge_id, new.handwritten, new.ai_mark, new.first_mark, new.second_mark, 1
    ) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER double_marked_leave_their_tally AFTER DELETE ON double_marked BEGIN
    UPDATE double_tallies SET n = n - 1
    WHERE (exam_id, question_id, judge_id, handwritten, ai_mark, first_mark, second_mark) = (
        old.exam_id, old.question_id, old.judge_id, old.handwritten, old.ai_mark, old.first_mark, old.second_mark);
END;

-- The blind sample of a question, and who is not in it.
CREATE INDEX responses_by_draw ON responses (question_id, blind_draw);

-- Whether the adjudicator saw the other marks before giving theirs.
ALTER TABLE decisions ADD COLUMN marks_hidden INTEGER NOT NULL DEFAULT 0 CHECK (marks_hidden IN (0, 1));

-- `gap`: how far apart the AI and the teachers are at most; `disputed`: beyond tolerance, and nobody has adjudicated.
ALTER TABLE standings ADD COLUMN gap REAL;
ALTER TABLE standings ADD COLUMN adjudicated INTEGER NOT NULL DEFAULT 0 CHECK (adjudicated IN (0, 1));
ALTER TABLE standings ADD COLUMN disputed INTEGER NOT NULL DEFAULT 0 CHECK (disputed IN (0, 1));
CREATE INDEX disputed_standings ON standings (exam_id, gap) WHERE disputed = 1;
CREATE INDEX adjudicated_standings ON standings (exam_id) WHERE adjudicated = 1;
-- Whose proposals stand on a question's desk, and when the newest mark was given, without reading every response.
CREATE INDEX standings_by_proposal ON standings (question_id, proposal_id);
CREATE INDEX standings_by_decision ON standings (exam_id, decision_id) WHERE marked = 1;
