// Keys: what each does, and digits that become a mark.

function onKey(desk, event) {
  const target = event.composedPath()[0]
  const typing = target.matches && target.matches("input, textarea, select, [contenteditable=true], [role=combobox]")
  if (!desk.root.isConnected || !desk.data) return
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && target.classList.contains("comment")) {
    event.preventDefault()
    return act(desk, "comment")
  }
  if (desk.viewer && !typing && event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey) {
    event.preventDefault()
    return undoInk(desk)
  }
  // In a table the arrows go from row to row.
  if (target.closest && target.closest("[data-testid=stDataFrame]")) return
  if (typing || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
  if (document.querySelector("[role=dialog], [aria-modal=true]")) return
  if (handleKey(desk, event.key, target)) event.preventDefault()
}

function handleKey(desk, key, target) {
  const { data } = desk
  if (data.review && reviewKey(desk, key)) return true
  if (data.responseId === null) return key === "u" || key === "U" ? (undo(desk), true) : false
  if (/^[0-9.]$/.test(key)) return (typeMark(desk, key), true)
  if (key === "Escape") {
    if (desk.viewer && tool(desk) !== "move") chooseTool(desk, "move")
    return (setTyped(desk, ""), toggleLegend(desk, false), true)
  }
  if (key === "Enter") {
    if (desk.typed) return (giveTyped(desk), true)
    if (data.draftTotal !== null && !(target.matches && target.matches("button, a, summary"))) {
      return (givePoints(desk), true)
    }
    return false
  }
  if (desk.viewer && viewerKey(desk, key)) return true
  const wanted = { ArrowRight: "next", ArrowLeft: "previous" }[key]
  if (wanted) return (act(desk, wanted), true)
  switch (key.toLowerCase()) {
    case "a": return (accept(desk), true)
    case "n": return (act(desk, "no_response"), true)
    case "f": return (act(desk, data.flagged ? "unflag" : "flag"), true)
    case "u": return (undo(desk), true)
    case "w": return (toggleWhy(desk), true)
    case "?": return (toggleLegend(desk), true)
  }
  return false
}

function accept(desk) {
  const { data } = desk
  if (data.draftTotal !== null) say(desk, `You have ticked points. Enter gives ${data.draftTotal}; or clear the ticks first.`)
  else if (data.phase === "reveal") act(desk, "keep")
  else if (data.phase === "mark" && data.proposal && data.proposal.mark !== null) act(desk, "accept")
  else say(desk, data.phase === "blind" ? data.markFirst : "There is no proposal to accept. Give a mark.")
}

function undo(desk) {
  if (desk.data.undo) act(desk, "undo", { undo_decision_id: desk.data.undo.decisionId })
  else say(desk, "There is nothing of yours to undo in this exam.")
}

// A digit sets its mark at once unless a longer legal mark begins with it; then a second digit or Enter decides.
// There is no timer, so a slow second digit can never turn 12 into 1.
function typeMark(desk, key) {
  if (desk.pending || !desk.armed) return
  const typed = (desk.typed + key).replace(/^\./, "0.")
  const legal = desk.data.marks.map(String)
  const highest = legal[legal.length - 1]
  const exact = legal.includes(String(Number(typed)))
  // "08" is how some write 8 on a question out of 20, so a 0 alone waits there too.
  const longer = legal.some(mark => mark.length > typed.length && mark.startsWith(typed)) || (typed === "0" && Number(highest) >= 10)
  if (exact && !longer) return give(desk, Number(typed))
  if (exact || longer) return setTyped(desk, typed)
  setTyped(desk, "")
  say(desk, `${typed} is not a mark here. This question goes from 0 to ${highest}.`)
}

function giveTyped(desk) {
  const mark = Number(desk.typed)
  if (desk.data.marks.includes(mark)) give(desk, mark)
}

function setTyped(desk, typed) {
  desk.typed = typed
  const hint = desk.root.querySelector(".typed")
  const next = (desk.data.marks || []).some(mark => !Number.isInteger(mark)) ? "then .5 or the like" : "another digit"
  if (hint) hint.textContent = typed ? `${typed}… ${next}, or Enter for ${Number(typed)}` : ""
  for (const button of desk.root.querySelectorAll(".row button")) {
    button.classList.toggle("candidate", typed !== "" && button.dataset.mark.startsWith(typed))
  }
}

function givePoints(desk) {
  act(desk, "mark_points", { points: desk.data.draftPoints })
}

function toggleWhy(desk) {
  desk.whyOpen = !desk.whyOpen
  for (const details of desk.root.querySelectorAll(".verdict details")) details.open = desk.whyOpen
}

function toggleLegend(desk, open) {
  const legend = desk.root.querySelector(".legend")
  legend.hidden = open === undefined ? !legend.hidden : !open
}

function say(desk, text) {
  desk.notice.textContent = text
  desk.notice.hidden = !text
}
