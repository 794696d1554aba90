"""Whether a proposal counts: an AI's mark that came with a file and was taken back with it stays on record alone."""

# As a condition on rows {p} of proposals. An import that made its exam takes the whole exam away and back with it.
# The list is made once a statement, and is empty but for such imports.
STILL_COUNTS = "coalesce({p}.import_id NOT IN (SELECT id FROM imports WHERE undone_at IS NOT NULL AND added = 1), 1)"
