-- The whole of the design's data. Times are UTC, ISO 8601. Marks are on the question's step; JSON is checked.

CREATE TABLE markers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE CHECK (length(trim(name)) > 0),
    role TEXT NOT NULL CHECK (role IN ('teacher', 'head of department', 'pilot lead')),
    external INTEGER NOT NULL DEFAULT 0 CHECK (external IN (0, 1)), -- 1: known from an import, never signs in here
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE judges (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('objective', 'offline', 'llm', 'imported')),
    model TEXT NOT NULL DEFAULT '',
    settings TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(settings)), -- never a key
    created_at TEXT NOT NULL,
    retired_at TEXT
) STRICT;

CREATE TABLE exams (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL CHECK (length(trim(title)) > 0),
    subject TEXT NOT NULL DEFAULT '',
    level TEXT NOT NULL DEFAULT '',
    series TEXT NOT NULL DEFAULT '',
    language TEXT NOT NULL DEFAULT 'en',
    notice TEXT NOT NULL DEFAULT '',
    demo INTEGER NOT NULL DEFAULT 0 CHECK (demo IN (0, 1)),
    blind INTEGER NOT NULL DEFAULT 0 CHECK (blind IN (0, 1)),
    blind_share REAL NOT NULL DEFAULT 0 CHECK (blind_share BETWEEN 0 AND 1),
    judge_id INTEGER REFERENCES judges (id),
    settings TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(settings)), -- boundaries, sections, rules
    created_at TEXT NOT NULL,
    archived_at TEXT
) STRICT;

CREATE TABLE imports (
    id INTEGER PRIMARY KEY,
    exam_id INTEGER NOT NULL REFERENCES exams (id),
    marker_id INTEGER REFERENCES markers (id),
    filename TEXT NOT NULL,
    sheet TEXT NOT NULL DEFAULT '',
    sha256 TEXT NOT NULL,
    report TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(report)),
    created_at TEXT NOT NULL,
    undone_at TEXT
) STRICT;
CREATE INDEX imports_by_exam ON imports (exam_id, id);

CREATE TABLE questions (
    id INTEGER PRIMARY KEY,
    exam_id INTEGER NOT NULL REFERENCES exams (id),
    position INTEGER NOT NULL,
    number TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('single_choice', 'multiple_choice', 'numeric', 'short', 'working', 'levels', 'essay')),
    text TEXT NOT NULL,
    stimulus TEXT NOT NULL DEFAULT '',
    max_mark REAL NOT NULL CHECK (max_mark > 0),
    mark_step REAL NOT NULL DEFAULT 1 CHECK (mark_step IN (1, 0.5, 0.25)),
    tolerance REAL NOT NULL DEFAULT 0 CHECK (tolerance >= 0),
    subject TEXT NOT NULL DEFAULT '',
    model_answer TEXT NOT NULL DEFAULT '',
    analysis TEXT NOT NULL DEFAULT '',
    language TEXT NOT NULL DEFAULT 'en',
    aos TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(aos)),
    UNIQUE (exam_id, number),
    UNIQUE (exam_id, position)
) STRICT;

CREATE TABLE schemes (
    id INTEGER PRIMARY KEY,
    question_id INTEGER NOT NULL REFERENCES questions (id),
    version INTEGER NOT NULL CHECK (version >= 1),
    body TEXT NOT NULL CHECK (json_valid(body)),
    marker_id INTEGER REFERENCES markers (id),
    created_at TEXT NOT NULL,
    UNIQUE (question_id, version)
) STRICT;

CREATE TABLE candidates (
    id INTEGER PRIMARY KEY,
    exam_id INTEGER NOT NULL REFERENCES exams (id),
    number TEXT NOT NULL CHECK (length(trim(number)) > 0),
    position INTEGER NOT NULL,
    groups TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(groups)), -- class, tier, …
    UNIQUE (exam_id, number)
) STRICT;

CREATE TABLE responses (
    id INTEGER PRIMARY KEY,
    exam_id INTEGER NOT NULL REFERENCES exams (id),
    question_id INTEGER NOT NULL REFERENCES questions (id),
    candidate_id INTEGER NOT NULL REFERENCES candidates (id),
    import_id INTEGER REFERENCES imports (id),
    kind TEXT NOT NULL DEFAULT 'typed' CHECK (kind IN ('typed', 'drawn', 'photographed', 'scanned')),
    text TEXT NOT NULL DEFAULT '',
    blind_draw REAL NOT NULL DEFAULT 1 CHECK (blind_draw BETWEEN 0 AND 1), -- drawn once; blind where below blind_share
    created_at TEXT NOT NULL,
    UNIQUE (question_id, candidate_id)
) STRICT;
CREATE INDEX responses_by_exam ON responses (exam_id);
CREATE INDEX responses_by_candidate ON responses (candidate_id);
CREATE INDEX responses_by_import ON responses (import_id);

CREATE TABLE images (
    sha256 TEXT PRIMARY KEY CHECK (length(sha256) = 64),
    mime TEXT NOT NULL,
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    content BLOB NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE response_images (
    response_id INTEGER NOT NULL REFERENCES responses (id),
    page INTEGER NOT NULL CHECK (page >= 1),
    sha256 TEXT NOT NULL REFERENCES images (sha256),
    strokes TEXT CHECK (strokes IS NULL OR json_valid(strokes)),
    PRIMARY KEY (response_id, page)
) STRICT;

CREATE TABLE jobs (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(payload)),
    status TEXT NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'done', 'failed', 'cancelled')),
    done INTEGER NOT NULL DEFAULT 0,
    total INTEGER NOT NULL DEFAULT 0,
    message TEXT NOT NULL DEFAULT '',
    claimed_by TEXT, -- the worker that has it; it alone may end it
    created_at TEXT NOT NULL,
    heartbeat_at TEXT,
    finished_at TEXT
) STRICT;
CREATE INDEX jobs_by_status ON jobs (status, id);
CREATE INDEX jobs_by_question ON jobs (json_extract(payload, '$.question_id'), kind, id);

CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    exam_id INTEGER NOT NULL REFERENCES exams (id),
    judge_id INTEGER NOT NULL REFERENCES judges (id),
    job_id INTEGER REFERENCES jobs (id),
    settings TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(settings)),
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX runs_by_exam ON runs (exam_id, id);

CREATE TABLE proposals (
    id INTEGER PRIMARY KEY,
    response_id INTEGER NOT NULL REFERENCES responses (id),
    judge_id INTEGER NOT NULL REFERENCES judges (id),
    run_id INTEGER REFERENCES runs (id),
    import_id INTEGER REFERENCES imports (id),
    scheme_id INTEGER NOT NULL REFERENCES schemes (id),
    status TEXT NOT NULL CHECK (status IN ('proposed', 'abstained', 'failed')),
    mark REAL CHECK ((status = 'proposed') = (mark IS NOT NULL) AND (mark IS NULL OR mark >= 0)),
    confidence TEXT CHECK (confidence IN ('sure', 'fairly sure', 'unsure')),
    label TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    verdicts TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(verdicts)),
    flags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(flags)),
    exemplars TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(exemplars)),
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
CREATE INDEX proposals_by_response ON proposals (response_id, judge_id, id);
CREATE INDEX proposals_by_inputs ON proposals (judge_id, inputs_hash) WHERE inputs_hash <> '';

CREATE TABLE decisions (
    id INTEGER PRIMARY KEY,
    response_id INTEGER NOT NULL REFERENCES responses (id),
    marker_id INTEGER NOT NULL REFERENCES markers (id),
    import_id INTEGER REFERENCES imports (id),
    outcome TEXT NOT NULL CHECK (outcome IN ('mark', 'no_response', 'undo')),
    stage TEXT NOT NULL CHECK (stage IN ('blind', 'ai_first', 'revealed', 'adjudicated', 'imported')),
    mark REAL CHECK ((outcome = 'mark') = (mark IS NOT NULL) AND (mark IS NULL OR mark >= 0)),
    points TEXT CHECK (points IS NULL OR json_valid(points)),
    comment TEXT NOT NULL DEFAULT '',
    proposal_id INTEGER REFERENCES proposals (id), -- the one that stood when the mark was given, shown or hidden
    scheme_id INTEGER NOT NULL REFERENCES schemes (id),
    undoes INTEGER UNIQUE REFERENCES decisions (id) CHECK ((outcome = 'undo') = (undoes IS NOT NULL)),
    action_id TEXT UNIQUE, -- one press, one row, however often it arrives
    seconds REAL,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX decisions_by_response ON decisions (response_id, id);
CREATE INDEX decisions_by_marker ON decisions (marker_id, id);

CREATE TABLE notes (
    id INTEGER PRIMARY KEY,
    response_id INTEGER NOT NULL REFERENCES responses (id),
    marker_id INTEGER NOT NULL REFERENCES markers (id),
    kind TEXT NOT NULL CHECK (kind IN ('comment', 'flag', 'unflag')),
    text TEXT NOT NULL DEFAULT '',
    action_id TEXT UNIQUE,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX notes_by_response ON notes (response_id, id);

-- A marker has seen a response's proposal: a later mark of theirs on it is not blind, whatever the exam's switch says.
CREATE TABLE sightings (
    response_id INTEGER NOT NULL REFERENCES responses (id),
    marker_id INTEGER NOT NULL REFERENCES markers (id),
    proposal_id INTEGER NOT NULL REFERENCES proposals (id),
    created_at TEXT NOT NULL,
    PRIMARY KEY (response_id, marker_id, proposal_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    marker_id INTEGER REFERENCES markers (id),
    kind TEXT NOT NULL,
    about TEXT NOT NULL DEFAULT '',
    body TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(body)),
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_kind ON events (kind, id);

-- Derived, rewritten in the transaction of whatever changes them; they can be rebuilt from the rows above.
CREATE TABLE standings (
    response_id INTEGER PRIMARY KEY REFERENCES responses (id),
    exam_id INTEGER NOT NULL,
    question_id INTEGER NOT NULL,
    question_position INTEGER NOT NULL,
    candidate_position INTEGER NOT NULL,
    proposal_id INTEGER REFERENCES proposals (id),
    decision_id INTEGER REFERENCES decisions (id),
    outcome TEXT,
    final_mark REAL,
    marked INTEGER NOT NULL DEFAULT 0 CHECK (marked IN (0, 1)), -- on this desk; an imported mark alone is not
    human INTEGER NOT NULL DEFAULT 0 CHECK (human IN (0, 1)), -- any live human decision, imported too
    flagged INTEGER NOT NULL DEFAULT 0 CHECK (flagged IN (0, 1)),
    unsure INTEGER NOT NULL DEFAULT 0 CHECK (unsure IN (0, 1)), -- the proposal is unsure, or there is none
    differs INTEGER NOT NULL DEFAULT 0 CHECK (differs IN (0, 1)) -- beyond the question's tolerance
) STRICT;
CREATE INDEX standings_by_question ON standings (exam_id, question_position, candidate_position);
CREATE INDEX standings_by_script ON standings (exam_id, candidate_position, question_position);
CREATE INDEX unmarked_by_question ON standings (exam_id, question_position, candidate_position) WHERE marked = 0;
CREATE INDEX unmarked_by_script ON standings (exam_id, candidate_position, question_position) WHERE marked = 0;
CREATE INDEX flagged_standings ON standings (exam_id, question_position, candidate_position) WHERE flagged = 1;
CREATE INDEX differing_standings ON standings (exam_id, question_position, candidate_position) WHERE differs = 1;
CREATE INDEX unsure_standings ON standings (exam_id, question_position, candidate_position) WHERE unsure = 1;
CREATE INDEX standings_by_question_id ON standings (question_id, human);

CREATE TABLE progress (
    question_id INTEGER PRIMARY KEY REFERENCES questions (id),
    exam_id INTEGER NOT NULL,
    responses INTEGER NOT NULL DEFAULT 0,
    marked INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX progress_by_exam ON progress (exam_id);

CREATE TABLE pairs (
    response_id INTEGER NOT NULL REFERENCES responses (id),
    marker_id INTEGER NOT NULL REFERENCES markers (id),
    judge_id INTEGER NOT NULL REFERENCES judges (id),
    kind TEXT NOT NULL CHECK (kind IN ('agreement', 'accept')), -- never pooled
    exam_id INTEGER NOT NULL,
    question_id INTEGER NOT NULL,
    ai_mark REAL NOT NULL,
    teacher_mark REAL NOT NULL,
    decision_id INTEGER NOT NULL REFERENCES decisions (id),
    proposal_id INTEGER NOT NULL REFERENCES proposals (id),
    PRIMARY KEY (response_id, marker_id, judge_id, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX pairs_by_exam ON pairs (exam_id, kind, question_id, judge_id, ai_mark, teacher_mark);

CREATE TRIGGER standings_of_new_response AFTER INSERT ON responses BEGIN
    INSERT INTO standings (response_id, exam_id, question_id, question_position, candidate_position, unsure)
    SELECT new.id, new.exam_id, new.question_id, q.position, c.position, 1
    FROM questions q, candidates c WHERE q.id = new.question_id AND c.id = new.candidate_id;
END;
CREATE TRIGGER progress_of_new_question AFTER INSERT ON questions BEGIN
    INSERT INTO progress (question_id, exam_id) VALUES (new.id, new.exam_id);
END;
CREATE TRIGGER progress_of_new_standing AFTER INSERT ON standings BEGIN
    UPDATE progress SET responses = responses + 1, marked = marked + new.marked WHERE question_id = new.question_id;
END;
CREATE TRIGGER progress_of_changed_standing AFTER UPDATE OF marked ON standings WHEN old.marked <> new.marked BEGIN
    UPDATE progress SET marked = marked + new.marked - old.marked WHERE question_id = new.question_id;
END;
CREATE TRIGGER progress_of_removed_standing AFTER DELETE ON standings BEGIN
    UPDATE progress SET responses = responses - 1, marked = marked - old.marked WHERE question_id = old.question_id;
END;

-- What must hold of a row however it comes in.
CREATE TRIGGER decisions_hold_together BEFORE INSERT ON decisions BEGIN
    SELECT RAISE(ABORT, 'the mark is not on the scale of its question')
    FROM responses r JOIN questions q ON q.id = r.question_id
    WHERE r.id = new.response_id
      AND (new.mark > q.max_mark OR new.mark / q.mark_step <> CAST(new.mark / q.mark_step AS INTEGER));
    SELECT RAISE(ABORT, 'the proposal is about another response')
    WHERE new.proposal_id IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM proposals WHERE id = new.proposal_id AND response_id = new.response_id);
    SELECT RAISE(ABORT, 'an undo takes back a decision of its own marker on the same response')
    WHERE new.undoes IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM decisions WHERE id = new.undoes AND response_id = new.response_id
                      AND marker_id = new.marker_id AND outcome <> 'undo');
END;
CREATE TRIGGER proposals_hold_together BEFORE INSERT ON proposals BEGIN
    SELECT RAISE(ABORT, 'the proposed mark is not on the scale of its question')
    FROM responses r JOIN questions q ON q.id = r.question_id
    WHERE r.id = new.response_id
      AND (new.mark > q.max_mark OR new.mark / q.mark_step <> CAST(new.mark / q.mark_step AS INTEGER));
END;
CREATE TRIGGER answers_stay BEFORE UPDATE OF question_id, candidate_id, text ON responses BEGIN
    SELECT RAISE(ABORT, 'what a candidate answered never changes');
END;
CREATE TRIGGER scales_stay BEFORE UPDATE OF max_mark, mark_step ON questions
WHEN EXISTS (SELECT 1 FROM responses r WHERE r.question_id = old.id) BEGIN
    SELECT RAISE(ABORT, 'the scale of a question with responses never changes');
END;

-- Append-only. What a person takes back (an import, a demo) is archived, never deleted.
CREATE TRIGGER decisions_stay BEFORE UPDATE ON decisions BEGIN
    SELECT RAISE(ABORT, 'decisions are append-only');
END;
CREATE TRIGGER decisions_remain BEFORE DELETE ON decisions BEGIN
    SELECT RAISE(ABORT, 'decisions are append-only');
END;
CREATE TRIGGER proposals_stay BEFORE UPDATE ON proposals BEGIN
    SELECT RAISE(ABORT, 'proposals are immutable');
END;
CREATE TRIGGER proposals_remain BEFORE DELETE ON proposals BEGIN
    SELECT RAISE(ABORT, 'proposals are immutable');
END;
CREATE TRIGGER sightings_stay BEFORE UPDATE ON sightings BEGIN
    SELECT RAISE(ABORT, 'what was seen was seen');
END;
CREATE TRIGGER sightings_remain BEFORE DELETE ON sightings BEGIN
    SELECT RAISE(ABORT, 'what was seen was seen');
END;
CREATE TRIGGER schemes_stay BEFORE UPDATE ON schemes BEGIN
    SELECT RAISE(ABORT, 'a scheme version never changes; add a new version');
END;
CREATE TRIGGER notes_stay BEFORE UPDATE ON notes BEGIN
    SELECT RAISE(ABORT, 'notes are append-only');
END;
CREATE TRIGGER notes_remain BEFORE DELETE ON notes BEGIN
    SELECT RAISE(ABORT, 'notes are append-only');
END;
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
CREATE TRIGGER events_remain BEFORE DELETE ON events BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
