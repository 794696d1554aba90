-- A marker has been shown a mark that another gave on the response: a later mark of theirs on it is not blind. What they
-- saw of proposals is in `sightings`.
CREATE TABLE shown (
    response_id INTEGER NOT NULL REFERENCES responses (id),
    marker_id INTEGER NOT NULL REFERENCES markers (id),
    created_at TEXT NOT NULL,
    PRIMARY KEY (response_id, marker_id)
) STRICT, WITHOUT ROWID;
INSERT INTO shown
SELECT r.id, e.marker_id, min(e.created_at)
FROM events e CROSS JOIN responses r ON r.id = CAST(substr(e.about, length('response ') + 1) AS INTEGER)
WHERE e.kind = 'marks shown' AND e.marker_id IS NOT NULL GROUP BY r.id, e.marker_id;
CREATE TRIGGER shown_stays BEFORE UPDATE ON shown BEGIN
    SELECT RAISE(ABORT, 'what was shown was shown');
END;
CREATE TRIGGER shown_remains BEFORE DELETE ON shown BEGIN
    SELECT RAISE(ABORT, 'what was shown was shown');
END;

-- Whether a mark and a proposal are about the same pages, whatever the length of the audit log.
CREATE INDEX pages_changed ON events (about, created_at) WHERE kind = 'answer''s pages changed';
