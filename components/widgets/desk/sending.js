// Sending one action at a time, and again until the server has heard of it.

// Keys and buttons answer only once the response and what is offered for it have been painted: the second frame
// begins after the first was shown.
function arm(desk) {
  const { offered, shownId } = desk
  requestAnimationFrame(() => requestAnimationFrame(() => {
    if (desk.offered !== offered) return
    desk.armed = true
    desk.root.dataset.ready = shownId
  }))
}

function act(desk, action, more = {}) {
  // One action at a time: what comes while one is under way was pressed for a response that is about to leave.
  if (desk.pending || !desk.armed) return
  const { data } = desk
  post(desk, {
    action,
    marker_id: data.markerId,
    action_id: newActionId(),
    response_id: data.responseId,
    proposal_id: data.proposal ? data.proposal.id : null,
    seen_decision_id: data.seenDecisionId,
    seconds: Math.round((performance.now() - desk.shownAt) / 100) / 10,
    comment: draftOf(desk),
    ...(data.review ? { task: "adjudicate", hidden: data.review.hidden } : {}),
    ...more,
  })
}

function post(desk, press) {
  desk.pending = press
  desk.root.classList.add("busy")
  if (!["next", "previous", "tick"].includes(press.action)) {
    store(unsentKey(desk), JSON.stringify({ press, at: Date.now() }))
  }
  desk.send(press)
  // The connection may have been lost. The same action_id again is harmless: the store keeps one row for it.
  desk.resend = setInterval(() => {
    say(desk, "Not saved yet. Waiting for the server; this page will try again.")
    desk.send(desk.pending)
  }, RESEND_MS)
}

// A press that the page was left with, because the server went away or the page was reloaded, is sent again: the
// store keeps one row for it however often it comes, and it still names the response it was pressed for.
function resumeUnsent(desk) {
  const kept = JSON.parse(stored(unsentKey(desk)) || "null")
  if (!kept) return
  store(unsentKey(desk), "")
  if (kept.press.marker_id === desk.data.markerId && Date.now() - kept.at < LOST_AFTER_MS) post(desk, kept.press)
}

// A mark that a teacher's desk was left with must not arrive as an adjudication.
function unsentKey(desk) {
  return desk.data.review ? `${UNSENT}-review` : UNSENT
}

function settle(desk, data) {
  clearInterval(desk.resend)
  store(unsentKey(desk), "")
  if (data.commentSaved) forgetDraft(desk, desk.pending)
  desk.pending = null
  desk.typed = ""
  desk.root.classList.remove("busy")
}

function give(desk, mark) {
  act(desk, "mark", { mark })
}

function newActionId() {
  return Math.random().toString(36).slice(2) + Date.now().toString(36)
}
