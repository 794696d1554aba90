-- Pictures that belong to a question, in order. Their bytes lie in `images`, once each.
CREATE TABLE question_images (
    question_id INTEGER NOT NULL REFERENCES questions (id),
    place INTEGER NOT NULL CHECK (place >= 1),
    sha256 TEXT NOT NULL REFERENCES images (sha256),
    caption TEXT NOT NULL DEFAULT '', -- what is to be seen, for who cannot see it
    PRIMARY KEY (question_id, place)
) STRICT, WITHOUT ROWID;

-- Every state of a question that somebody has typed, valid or not. The newest of a `thread` is where its editor goes
-- on. `question_id` is NULL until the question is first saved, and outlives a question that is taken away.
CREATE TABLE question_drafts (
    id INTEGER PRIMARY KEY,
    thread TEXT NOT NULL CHECK (length(thread) > 0),
    exam_id INTEGER NOT NULL REFERENCES exams (id),
    question_id INTEGER,
    marker_id INTEGER NOT NULL REFERENCES markers (id),
    state TEXT NOT NULL CHECK (state IN ('edited', 'saved', 'dropped')),
    body TEXT NOT NULL CHECK (json_valid(body)),
    saved_at TEXT NOT NULL
) STRICT;
CREATE INDEX question_drafts_by_thread ON question_drafts (thread, id);
CREATE INDEX question_drafts_by_exam ON question_drafts (exam_id, id);
CREATE INDEX question_drafts_by_question ON question_drafts (question_id, id);
CREATE TRIGGER question_drafts_stay BEFORE UPDATE ON question_drafts BEGIN
    SELECT RAISE(ABORT, 'drafts are append-only');
END;
CREATE TRIGGER question_drafts_remain BEFORE DELETE ON question_drafts BEGIN
    SELECT RAISE(ABORT, 'drafts are append-only');
END;
