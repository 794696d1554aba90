"""Whether a mark and a proposal are about the same pages: those of an answer may change while no mark on it stands."""

CHANGED = "answer's pages changed"  # the event that tells of it, which the index `pages_changed` is over

_CHANGE = "SELECT 1 FROM events c WHERE c.kind = 'answer''s pages changed' AND c.about = 'response ' || {d}.response_id"

# As conditions on rows {d} of decisions and {p} of proposals about one response.
SAME_PAGES = (
    f"NOT EXISTS ({_CHANGE} AND c.created_at > min({{d}}.created_at, {{p}}.created_at) "
    "AND c.created_at <= max({d}.created_at, {p}.created_at))"
)
PAGES_AS_MARKED = f"NOT EXISTS ({_CHANGE} AND c.created_at > {{d}}.created_at)"
