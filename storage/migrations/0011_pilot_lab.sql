-- The pilot lab: trials of several judges on marked work, and models that sit published benchmarks.

-- A trial's responses and human marks are noted when it begins, so that its report rests on what was true then.
CREATE TABLE trials (
    id INTEGER PRIMARY KEY,
    exam_id INTEGER NOT NULL REFERENCES exams (id),
    title TEXT NOT NULL CHECK (length(trim(title)) > 0),
    settings TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(settings)), -- questions, whose marks, cap, seed
    marker_id INTEGER REFERENCES markers (id),
    job_id INTEGER REFERENCES jobs (id),
    created_at TEXT NOT NULL,
    archived_at TEXT
) STRICT;
CREATE INDEX trials_by_exam ON trials (exam_id, id);

CREATE TABLE trial_responses (
    trial_id INTEGER NOT NULL REFERENCES trials (id),
    response_id INTEGER NOT NULL REFERENCES responses (id),
    scheme_id INTEGER NOT NULL REFERENCES schemes (id),
    first_decision_id INTEGER NOT NULL REFERENCES decisions (id),
    first_mark REAL NOT NULL CHECK (first_mark >= 0),
    second_decision_id INTEGER REFERENCES decisions (id),
    second_mark REAL CHECK ((second_mark IS NULL) = (second_decision_id IS NULL) AND (second_mark IS NULL OR second_mark >= 0)),
    PRIMARY KEY (trial_id, response_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX trial_responses_by_response ON trial_responses (response_id);

-- One way of asking: a judge (its model, protocol, effort and samples are its own), the examples it is shown, whether
-- it is told the mark scheme, and which time of asking this is.
CREATE TABLE trial_arms (
    id INTEGER PRIMARY KEY,
    trial_id INTEGER NOT NULL REFERENCES trials (id),
    position INTEGER NOT NULL,
    judge_id INTEGER NOT NULL REFERENCES judges (id),
    shots INTEGER NOT NULL DEFAULT 0 CHECK (shots >= 0),
    grading INTEGER NOT NULL DEFAULT 1 CHECK (grading IN (0, 1)),
    criteria INTEGER NOT NULL DEFAULT 1 CHECK (criteria IN (0, 1)),
    repeat INTEGER NOT NULL DEFAULT 1 CHECK (repeat >= 1),
    chosen TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(chosen)), -- the examples, by question id
    UNIQUE (trial_id, position),
    UNIQUE (trial_id, judge_id, shots, grading, criteria, repeat)
) STRICT;

-- What an arm says about a response; where it failed and was asked again, the newest counts.
CREATE TABLE trial_proposals (
    id INTEGER PRIMARY KEY,
    arm_id INTEGER NOT NULL REFERENCES trial_arms (id),
    response_id INTEGER NOT NULL REFERENCES responses (id),
    scheme_id INTEGER NOT NULL REFERENCES schemes (id),
    proposal_id INTEGER REFERENCES proposals (id), -- the stored one that it was taken from, not paid for again
    taken_id INTEGER REFERENCES trial_proposals (id), -- likewise, from an earlier trial
    status TEXT NOT NULL CHECK (status IN ('proposed', 'abstained', 'failed')),
    mark REAL CHECK ((status = 'proposed') = (mark IS NOT NULL) AND (mark IS NULL OR mark >= 0)),
    confidence TEXT CHECK (confidence IN ('sure', 'fairly sure', 'unsure')),
    label TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    verdicts TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(verdicts)),
    flags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(flags)),
    samples TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(samples)),
    inputs_hash TEXT NOT NULL DEFAULT '',
    model TEXT NOT NULL DEFAULT '',
    prompt_version TEXT NOT NULL DEFAULT '',
    prompt_hash TEXT NOT NULL DEFAULT '',
    tokens_in INTEGER NOT NULL DEFAULT 0,
    tokens_out INTEGER NOT NULL DEFAULT 0,
    price REAL,
    seconds REAL NOT NULL DEFAULT 0,
    raw_reply TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL
) STRICT;
-- With all that figures rest on, so that a report reads no page of replies.
CREATE INDEX trial_proposals_by_arm ON trial_proposals (
    arm_id, response_id, id, status, mark, price, tokens_in, tokens_out, seconds, model, prompt_version, prompt_hash
);

-- Responses of an arm that are with a model at this moment: what a crash leaves here may have been paid for.
CREATE TABLE trial_out (
    arm_id INTEGER NOT NULL REFERENCES trial_arms (id),
    response_id INTEGER NOT NULL REFERENCES responses (id),
    PRIMARY KEY (arm_id, response_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER trial_proposals_stay BEFORE DELETE ON trial_proposals
    BEGIN SELECT raise(ABORT, 'What a judge said on trial is never deleted.'); END;
CREATE TRIGGER trial_proposals_as_made BEFORE UPDATE ON trial_proposals
    BEGIN SELECT raise(ABORT, 'What a judge said on trial is never changed.'); END;

-- A published benchmark's questions as they were loaded; `report` says what was wrong with them.
CREATE TABLE benchmark_sets (
    id INTEGER PRIMARY KEY,
    benchmark TEXT NOT NULL CHECK (benchmark IN ('gaokao_bench', 'e_eval', 'm3ke')),
    name TEXT NOT NULL CHECK (length(trim(name)) > 0),
    sha256 TEXT NOT NULL CHECK (length(sha256) = 64), -- of all its items
    report TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(report)),
    marker_id INTEGER REFERENCES markers (id),
    created_at TEXT NOT NULL,
    archived_at TEXT
) STRICT;

CREATE TABLE benchmark_items (
    id INTEGER PRIMARY KEY,
    set_id INTEGER NOT NULL REFERENCES benchmark_sets (id),
    position INTEGER NOT NULL,
    task TEXT NOT NULL, -- GAOKAO-Bench's keyword, E-EVAL's subject, M3KE's task with cluster and level
    split TEXT NOT NULL CHECK (split IN ('dev', 'val', 'test')),
    body TEXT NOT NULL CHECK (json_valid(body)),
    UNIQUE (set_id, position)
) STRICT;
CREATE INDEX benchmark_items_by_task ON benchmark_items (set_id, task, position);

-- A model sits a benchmark: through which judge's endpoint, by which protocol, on which tasks.
CREATE TABLE sittings (
    id INTEGER PRIMARY KEY,
    set_id INTEGER NOT NULL REFERENCES benchmark_sets (id),
    judge_id INTEGER NOT NULL REFERENCES judges (id),
    settings TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(settings)),
    marker_id INTEGER REFERENCES markers (id),
    job_id INTEGER REFERENCES jobs (id),
    created_at TEXT NOT NULL,
    archived_at TEXT
) STRICT;
CREATE INDEX sittings_by_judge ON sittings (judge_id, id);

-- `mark` is NULL where the reply could not be read or the key is private; that is never a 0.
CREATE TABLE sitting_answers (
    id INTEGER PRIMARY KEY,
    sitting_id INTEGER NOT NULL REFERENCES sittings (id),
    item_id INTEGER NOT NULL REFERENCES benchmark_items (id),
    status TEXT NOT NULL CHECK (status IN ('answered', 'failed')),
    reply TEXT NOT NULL DEFAULT '',
    answers TEXT CHECK (answers IS NULL OR json_valid(answers)), -- as read from the reply, one a sub-question
    mark REAL CHECK (mark IS NULL OR mark >= 0),
    reason TEXT NOT NULL DEFAULT '',
    inputs_hash TEXT NOT NULL DEFAULT '',
    model TEXT NOT NULL DEFAULT '',
    tokens_in INTEGER NOT NULL DEFAULT 0,
    tokens_out INTEGER NOT NULL DEFAULT 0,
    price REAL,
    seconds REAL NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX sitting_answers_by_item ON sitting_answers (sitting_id, item_id, id);
CREATE INDEX sitting_answers_by_inputs ON sitting_answers (inputs_hash) WHERE inputs_hash <> '';

CREATE TABLE sitting_out (
    sitting_id INTEGER NOT NULL REFERENCES sittings (id),
    item_id INTEGER NOT NULL REFERENCES benchmark_items (id),
    PRIMARY KEY (sitting_id, item_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER sitting_answers_stay BEFORE DELETE ON sitting_answers
    BEGIN SELECT raise(ABORT, 'What a model answered is never deleted.'); END;
CREATE TRIGGER sitting_answers_as_made BEFORE UPDATE ON sitting_answers
    BEGIN SELECT raise(ABORT, 'What a model answered is never changed.'); END;

-- What was read of a file and waits for somebody to confirm it: a mark scheme (`about` is 'scheme' with the marker and,
-- for one question, its thread), or a question paper ('paper'), whose PDF is kept where it is not too large.
CREATE TABLE readings (
    exam_id INTEGER NOT NULL REFERENCES exams (id),
    about TEXT NOT NULL CHECK (length(about) > 0),
    name TEXT NOT NULL,
    body TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(body)),
    content BLOB,
    marker_id INTEGER NOT NULL REFERENCES markers (id),
    saved_at TEXT NOT NULL,
    PRIMARY KEY (exam_id, about)
) STRICT;
