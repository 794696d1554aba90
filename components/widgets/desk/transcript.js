// The transcript under the pictures: the newest version, in a box that can be corrected. What was typed stays until saved.

function transcriptKey(markerId, responseId) {
  return `second-marker-transcript-${markerId}-${responseId}`
}

function openTranscript(desk) {
  const { markerId, responseId } = desk.data
  const area = element("textarea", { className: "transcript", rows: "4", maxlength: "20000", dir: "auto", "aria-label": "Transcript",
    placeholder: "No transcript yet. Type what the picture says.",
    on: { input: () => {
      store(transcriptKey(markerId, responseId), area.value === area.dataset.saved ? "" : JSON.stringify(area.value))
      refreshTranscript(desk)
    } } })
  area.dataset.saved = ""
  return element("section", { className: "reading" },
    element("p", { className: "reading-head" }, element("strong", { text: "Transcript" }), element("span", { className: "muted source" }),
      element("span", { className: "badge warn changed", text: "not saved" })),
    area,
    element("div", { className: "actions" },
      button("Save transcript", "Keep this transcript as a new version", () => saveTranscript(desk, "transcript"), "", "save-transcript"),
      button("Ask the judge again from this transcript", "Save it, and have a new proposal made from it", () => saveTranscript(desk, "ask_again"))))
}

function updateTranscript(desk) {
  const { data, viewer } = desk
  const area = viewer.transcript.querySelector("textarea")
  const text = data.transcript ? data.transcript.text : ""
  const draft = JSON.parse(stored(transcriptKey(data.markerId, data.responseId)) || "null")
  // A draft stands; without one, what the server has.
  if (draft === null && area.value !== text) area.value = text
  else if (draft !== null && area.value !== draft) area.value = draft
  area.dataset.saved = text
  viewer.transcript.querySelector(".source").textContent = data.transcript ? `version ${data.transcript.version}, ${data.transcript.source}` : ""
  refreshTranscript(desk)
}

function refreshTranscript(desk) {
  const { transcript } = desk.viewer
  const area = transcript.querySelector("textarea")
  transcript.querySelector(".changed").hidden = area.value === area.dataset.saved
}

function saveTranscript(desk, action) {
  const { data, viewer } = desk
  const text = viewer.transcript.querySelector("textarea").value
  if (!text.trim()) return say(desk, "There is no transcript yet. Type what the picture says.")
  save(desk, `${data.responseId}/${action}`, { action, response_id: data.responseId, text })
}

// Only what was saved is forgotten: words typed since then stay.
function forgetTranscriptDraft({ marker_id, response_id, text }) {
  const key = transcriptKey(marker_id, response_id)
  if (stored(key) === JSON.stringify(text)) store(key, "")
}
