-- Marks of a judge that asks its model several times for one proposal, in the order asked; [] where it asks once.
ALTER TABLE proposals ADD COLUMN samples TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(samples));

-- A paused job is queued, but no worker takes it before it is let go on.
ALTER TABLE jobs ADD COLUMN paused_at TEXT;

-- A judge is what its proposals were made with, so it never changes. Where its key is, and how hard it is pressed, may.
CREATE TRIGGER judges_stay BEFORE UPDATE OF name, kind, model, settings ON judges
WHEN (new.name, new.kind, new.model, json_remove(new.settings, '$.key_variable', '$.at_once'))
    IS NOT (old.name, old.kind, old.model, json_remove(old.settings, '$.key_variable', '$.at_once')) BEGIN
    SELECT RAISE(ABORT, 'a judge never changes; duplicate it');
END;

-- What an endpoint's model turned out to take: found out once, then known.
CREATE TABLE capabilities (
    base_url TEXT NOT NULL,
    model TEXT NOT NULL,
    found TEXT NOT NULL CHECK (json_valid(found)),
    found_at TEXT NOT NULL,
    PRIMARY KEY (base_url, model)
) STRICT, WITHOUT ROWID;

-- Sent to a model, its proposal not stored yet. What a crash leaves here may have been paid for.
CREATE TABLE asked (
    response_id INTEGER NOT NULL REFERENCES responses (id),
    judge_id INTEGER NOT NULL REFERENCES judges (id),
    inputs_hash TEXT NOT NULL,
    job_id INTEGER NOT NULL REFERENCES jobs (id),
    PRIMARY KEY (response_id, judge_id, inputs_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX asked_by_job ON asked (job_id);

-- Responses that a head of department has chosen to show judges as examples.
CREATE TABLE standardisation (
    response_id INTEGER PRIMARY KEY REFERENCES responses (id),
    question_id INTEGER NOT NULL REFERENCES questions (id),
    marker_id INTEGER NOT NULL REFERENCES markers (id),
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX standardisation_by_question ON standardisation (question_id);

-- How sure the judge was, for how often it was right when it was that sure.
ALTER TABLE pairs ADD COLUMN confidence TEXT;
UPDATE pairs SET confidence = (SELECT confidence FROM proposals WHERE id = pairs.proposal_id);
CREATE INDEX pairs_by_confidence ON pairs (judge_id, kind, exam_id, confidence, question_id, ai_mark, teacher_mark);
