-- A run written as a batch file: submitted to an endpoint, or carried to a cluster, and read back by custom_id.
CREATE TABLE batches (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL UNIQUE REFERENCES runs (id),
    job_id INTEGER NOT NULL REFERENCES jobs (id),
    exam_id INTEGER NOT NULL REFERENCES exams (id),
    judge_id INTEGER NOT NULL REFERENCES judges (id),
    options TEXT NOT NULL CHECK (json_valid(options)),
    state TEXT NOT NULL DEFAULT 'writing' CHECK (state IN ('writing', 'written', 'submitted', 'ended')),
    cancel_asked INTEGER NOT NULL DEFAULT 0 CHECK (cancel_asked IN (0, 1)),
    notes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(notes)), -- what was left out when it was written, and why
    report TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(report)), -- what came of each file read back, by its name
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX batches_by_judge ON batches (judge_id, state);

-- One file of a batch, and the remote batch made of it.
CREATE TABLE batch_parts (
    batch_id INTEGER NOT NULL REFERENCES batches (id),
    number INTEGER NOT NULL CHECK (number >= 1),
    file TEXT NOT NULL,
    lines INTEGER NOT NULL,
    token TEXT, -- ours, stored before the remote batch is made: by it one whose id was lost is found again
    input_file_id TEXT,
    remote_id TEXT,
    status TEXT NOT NULL DEFAULT '',
    done INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    message TEXT NOT NULL DEFAULT '',
    read_at TEXT,
    PRIMARY KEY (batch_id, number)
) STRICT, WITHOUT ROWID;

-- What each custom_id asks about, and what has come back for it. `reply` is kept until its proposal is made.
CREATE TABLE batch_lines (
    custom_id TEXT PRIMARY KEY,
    batch_id INTEGER NOT NULL REFERENCES batches (id),
    part INTEGER NOT NULL,
    response_id INTEGER NOT NULL,
    scheme_id INTEGER NOT NULL REFERENCES schemes (id),
    inputs_hash TEXT NOT NULL,
    sample INTEGER NOT NULL,
    exemplars TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(exemplars)), -- ids of those shown, as a judge knows them
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'good', 'invalid', 'failed')),
    reply TEXT CHECK (reply IS NULL OR json_valid(reply)),
    fault TEXT NOT NULL DEFAULT '',
    file TEXT NOT NULL DEFAULT '', -- where its line was read
    line INTEGER NOT NULL DEFAULT 0,
    proposed INTEGER NOT NULL DEFAULT 0 CHECK (proposed IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX batch_lines_by_response ON batch_lines (batch_id, response_id, sample);
CREATE INDEX batch_lines_by_state ON batch_lines (batch_id, state, proposed);
