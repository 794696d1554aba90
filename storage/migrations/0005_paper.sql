-- A picture as the teacher sees it may be straightened or cropped; the one that came in is kept beside it.
ALTER TABLE response_images ADD COLUMN original_sha256 TEXT REFERENCES images (sha256);
ALTER TABLE response_images ADD COLUMN source TEXT NOT NULL DEFAULT ''; -- the file, or scan and page, it came from

-- What a teacher drew on an answer's page: strokes over the untouched picture. The newest of a marker counts.
CREATE TABLE annotations (
    id INTEGER PRIMARY KEY,
    response_id INTEGER NOT NULL REFERENCES responses (id),
    page INTEGER NOT NULL CHECK (page >= 1),
    marker_id INTEGER NOT NULL REFERENCES markers (id),
    strokes TEXT NOT NULL CHECK (json_valid(strokes)),
    action_id TEXT UNIQUE,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX annotations_by_response ON annotations (response_id, page, marker_id, id);

-- What a picture says, in words: a judge's reading, a recogniser's draft, or what a teacher made of them.
CREATE TABLE transcripts (
    id INTEGER PRIMARY KEY,
    response_id INTEGER NOT NULL REFERENCES responses (id),
    version INTEGER NOT NULL CHECK (version >= 1),
    text TEXT NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('judge', 'recogniser', 'teacher')),
    marker_id INTEGER REFERENCES markers (id),
    proposal_id INTEGER REFERENCES proposals (id),
    created_at TEXT NOT NULL,
    UNIQUE (response_id, version)
) STRICT;

-- A judge's own reading of an answer's pictures, which its evidence is checked against.
ALTER TABLE proposals ADD COLUMN transcript TEXT NOT NULL DEFAULT '';

CREATE TRIGGER annotations_stay BEFORE UPDATE ON annotations BEGIN
    SELECT RAISE(ABORT, 'annotations are append-only');
END;
CREATE TRIGGER annotations_remain BEFORE DELETE ON annotations BEGIN
    SELECT RAISE(ABORT, 'annotations are append-only');
END;
CREATE TRIGGER transcripts_stay BEFORE UPDATE ON transcripts BEGIN
    SELECT RAISE(ABORT, 'a transcript never changes; add a new version');
END;
CREATE TRIGGER transcripts_remain BEFORE DELETE ON transcripts BEGIN
    SELECT RAISE(ABORT, 'transcripts are append-only');
END;

-- What a marker is drawing on screen for a candidate, not handed in yet. Not a record: its rows come and go.
CREATE TABLE answer_drafts (
    question_id INTEGER NOT NULL REFERENCES questions (id),
    candidate TEXT NOT NULL, -- a candidate number, perhaps not in the exam yet
    marker_id INTEGER NOT NULL REFERENCES markers (id),
    page INTEGER NOT NULL CHECK (page >= 1),
    paper TEXT NOT NULL CHECK (paper IN ('plain', 'ruled', 'squared')),
    strokes TEXT NOT NULL CHECK (json_valid(strokes)),
    updated_at TEXT NOT NULL,
    PRIMARY KEY (question_id, candidate, marker_id, page)
) STRICT, WITHOUT ROWID;

-- Answer books that were printed, with the room each question had: what reading them back needs.
CREATE TABLE answer_books (
    id INTEGER PRIMARY KEY,
    exam_id INTEGER NOT NULL REFERENCES exams (id),
    layout TEXT NOT NULL CHECK (json_valid(layout)),
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX answer_books_by_exam ON answer_books (exam_id, id);

-- Scanned scripts on their way in. Their files and cuts lie in the data folder, in a folder named by the id.
CREATE TABLE scans (
    id INTEGER PRIMARY KEY,
    exam_id INTEGER NOT NULL REFERENCES exams (id),
    marker_id INTEGER NOT NULL REFERENCES markers (id),
    job_id INTEGER REFERENCES jobs (id),
    state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'stored', 'thrown away')),
    setup TEXT NOT NULL CHECK (json_valid(setup)),
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX scans_by_exam ON scans (exam_id, state, id);
