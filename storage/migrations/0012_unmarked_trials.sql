-- A trial may hold answers that nobody has marked: what a model wrote for a benchmark, for judges to mark.
CREATE TABLE trial_responses_0012 (
    trial_id INTEGER NOT NULL REFERENCES trials (id),
    response_id INTEGER NOT NULL REFERENCES responses (id),
    scheme_id INTEGER NOT NULL REFERENCES schemes (id),
    first_decision_id INTEGER REFERENCES decisions (id),
    first_mark REAL CHECK ((first_mark IS NULL) = (first_decision_id IS NULL) AND (first_mark IS NULL OR first_mark >= 0)),
    second_decision_id INTEGER REFERENCES decisions (id) CHECK (second_decision_id IS NULL OR first_decision_id IS NOT NULL),
    second_mark REAL CHECK ((second_mark IS NULL) = (second_decision_id IS NULL) AND (second_mark IS NULL OR second_mark >= 0)),
    PRIMARY KEY (trial_id, response_id)
) STRICT, WITHOUT ROWID;
INSERT INTO trial_responses_0012 (
    trial_id, response_id, scheme_id, first_decision_id, first_mark, second_decision_id, second_mark
) SELECT trial_id, response_id, scheme_id, first_decision_id, first_mark, second_decision_id, second_mark
FROM trial_responses;
DROP TABLE trial_responses;
ALTER TABLE trial_responses_0012 RENAME TO trial_responses;
CREATE INDEX trial_responses_by_response ON trial_responses (response_id);
