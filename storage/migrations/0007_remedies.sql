-- A changed scheme that is tried on some responses before it is applied. Nothing of it reaches the desk until then.
CREATE TABLE remedies (
    id INTEGER PRIMARY KEY,
    exam_id INTEGER NOT NULL REFERENCES exams (id),
    question_id INTEGER NOT NULL REFERENCES questions (id),
    judge_id INTEGER NOT NULL REFERENCES judges (id),
    marker_id INTEGER NOT NULL REFERENCES markers (id),
    pattern TEXT NOT NULL, -- its sentence, as it was found
    pattern_key TEXT NOT NULL, -- which of the exam's patterns it is, whatever its numbers come to later
    behind TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(behind)), -- ids of the responses that show it
    scheme_id INTEGER NOT NULL REFERENCES schemes (id), -- the version that the draft starts from
    draft TEXT NOT NULL CHECK (json_valid(draft)), -- a whole scheme
    sample TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(sample)), -- [response id, chosen for its disagreement, teacher's mark]
    asked_as TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(asked_as)), -- the examples that the desk's run showed
    job_id INTEGER REFERENCES jobs (id),
    state TEXT NOT NULL DEFAULT 'drafted' CHECK (state IN ('drafted', 'trying', 'tried', 'applied', 'dropped')),
    applied_scheme_id INTEGER REFERENCES schemes (id),
    created_at TEXT NOT NULL,
    changed_at TEXT NOT NULL
) STRICT;
CREATE INDEX remedies_by_exam ON remedies (exam_id, id);

-- What the judge said of a response of the sample. `after` is NULL from just before the response is sent to a model
-- until it is back, so that what a crash loses is not paid for twice unasked.
CREATE TABLE remedy_results (
    remedy_id INTEGER NOT NULL REFERENCES remedies (id),
    response_id INTEGER NOT NULL REFERENCES responses (id),
    before TEXT CHECK (before IS NULL OR json_valid(before)),
    before_scheme_id INTEGER REFERENCES schemes (id),
    after TEXT CHECK (after IS NULL OR json_valid(after)),
    failed INTEGER NOT NULL DEFAULT 0 CHECK (failed IN (0, 1)),
    paid REAL, -- US dollars of every time it was asked
    unpriced INTEGER NOT NULL DEFAULT 0, -- how many times it was asked at a price that is not known
    PRIMARY KEY (remedy_id, response_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER tried_drafts_stay BEFORE UPDATE OF draft, sample, scheme_id ON remedies WHEN old.state <> 'drafted' BEGIN
    SELECT RAISE(ABORT, 'what was tried stays as it was tried; change it in a new remedy');
END;
