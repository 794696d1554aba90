-- A run's sums are read every second while it goes on: they come from this index alone, never from the long raw replies.
CREATE INDEX proposals_by_run ON proposals
    (run_id, judge_id, response_id, status, tokens_in, tokens_out, price, seconds, model, created_at)
    WHERE run_id IS NOT NULL;
CREATE UNIQUE INDEX runs_by_job ON runs (job_id, judge_id) WHERE job_id IS NOT NULL;
