-- Who stands behind a candidate number. Apart from everything else, so that it can be dropped: it never goes to a judge,
-- into an export or into an evidence pack.
CREATE TABLE pseudonyms (
    exam_id INTEGER NOT NULL REFERENCES exams (id),
    number TEXT NOT NULL CHECK (length(trim(number)) > 0),
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    other TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(other)), -- further cells by heading
    import_id INTEGER REFERENCES imports (id),
    PRIMARY KEY (exam_id, number)
) STRICT, WITHOUT ROWID;

-- Whether an import made its exam or was added to one, and which candidates came with it.
ALTER TABLE imports ADD COLUMN added INTEGER NOT NULL DEFAULT 0 CHECK (added IN (0, 1));
ALTER TABLE candidates ADD COLUMN import_id INTEGER REFERENCES imports (id);
CREATE INDEX decisions_by_import ON decisions (import_id) WHERE import_id IS NOT NULL;

-- An import that was added to an exam and is taken back leaves it with its responses: they move, as they are, to an
-- archived exam with the same questions and candidates.
DROP TRIGGER answers_stay;
CREATE TRIGGER answers_stay BEFORE UPDATE OF exam_id, question_id, candidate_id, text ON responses
WHEN new.text IS NOT old.text OR NOT EXISTS (
    SELECT 1 FROM exams e
    JOIN questions q ON q.exam_id = e.id AND q.id = new.question_id
    JOIN candidates c ON c.exam_id = e.id AND c.id = new.candidate_id
    JOIN questions was ON was.id = old.question_id AND was.number = q.number AND was.max_mark = q.max_mark
    JOIN candidates who ON who.id = old.candidate_id AND who.number = c.number
    WHERE e.id = new.exam_id AND e.archived_at IS NOT NULL)
BEGIN
    SELECT RAISE(ABORT, 'what a candidate answered never changes');
END;
