// Drafts of comments: what was typed stays, also across a reload.

function draftKey(markerId, responseId) {
  return `second-marker-comment-${markerId}-${responseId}`
}

function draftOf(desk) {
  const area = desk.root.querySelector("textarea.comment")
  return area ? area.value.trim() : ""
}

function keepDraft(desk, text) {
  store(draftKey(desk.data.markerId, desk.data.responseId), text)
}

// Only what was saved is forgotten: words typed since then stay.
function forgetDraft(desk, press) {
  const key = draftKey(press.marker_id, press.response_id)
  if ((stored(key) || "").trim() === press.comment) store(key, "")
  const area = desk.root.querySelector("textarea.comment")
  if (area && area.value.trim() === press.comment) area.value = ""
}

// A browser without storage keeps what is typed while the page is open.
function store(key, text) {
  try {
    if (text) sessionStorage.setItem(key, text)
    else sessionStorage.removeItem(key)
  } catch { /* as said above */ }
}

function stored(key) {
  try {
    return sessionStorage.getItem(key) || ""
  } catch {
    return ""
  }
}
