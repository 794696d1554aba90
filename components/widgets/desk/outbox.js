// Saving strokes and transcripts: one at a time, again until the server has heard of it, also after a reload. Apart from
// the marks, so that a mark never waits for a stroke and a key pressed meanwhile is never lost.

const SAVE_AFTER_MS = 400

function outboxKey(markerId) {
  return `second-marker-outbox-${markerId}`
}

function openOutbox(desk) {
  if (desk.outbox) return
  desk.outbox = JSON.parse(stored(outboxKey(desk.data.markerId)) || "[]")
  sendNext(desk)
}

// What is saved for the same slot and still waits is replaced: only a page's latest strokes count.
function save(desk, slot, item) {
  desk.outbox = desk.outbox.filter(each => each.slot !== slot || each === desk.saving)
  desk.outbox.push({ slot, payload: { ...item, marker_id: desk.data.markerId, action_id: newActionId() } })
  keepOutbox(desk)
  clearTimeout(desk.saveSoon)
  desk.saveSoon = setTimeout(() => sendNext(desk), SAVE_AFTER_MS)
  drawSaveState(desk)
}

function waiting(desk, slot) {
  return desk.outbox.findLast(each => each.slot === slot)
}

function sendNext(desk) {
  clearTimeout(desk.saveSoon)
  if (desk.saving || !desk.outbox.length || !desk.root.isConnected) return
  desk.saving = desk.outbox[0]
  const send = () => desk.sendSave(desk.saving.payload)
  send()
  desk.saveAgain = setInterval(() => {
    say(desk, "Not saved yet. Waiting for the server; this page will try again.")
    send()
  }, RESEND_MS)
}

function settleSaves(desk, data) {
  if (!desk.saving || !data.saved.includes(desk.saving.payload.action_id)) return
  clearInterval(desk.saveAgain)
  const done = desk.saving
  desk.saving = null
  desk.outbox = desk.outbox.filter(each => each !== done)
  keepOutbox(desk)
  if (done.payload.action !== "annotate") forgetTranscriptDraft(done.payload)
  sendNext(desk)
}

function keepOutbox(desk) {
  store(outboxKey(desk.data.markerId), desk.outbox.length ? JSON.stringify(desk.outbox) : "")
}
