// The marking desk: answer, proposal, row of marks, keys. Everything it sends names the response that is on screen.
// Text of candidates and judges only ever becomes text nodes.

const desks = new WeakMap()
const RESEND_MS = 4000

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const root = parentElement.querySelector(".desk")
  let desk = desks.get(root)
  if (!desk) {
    desk = { root, pending: null, typed: "", drafts: new Map(), shownAt: 0, shownId: null, whyOpen: false }
    desk.onKey = event => onKey(desk, event)
    document.addEventListener("keydown", desk.onKey)
    desks.set(root, desk)
  }
  desk.send = payload => setTriggerValue("action", payload)
  if (desk.pending && data.ack === desk.pending.action_id) settle(desk)
  if (data.responseId !== desk.shownId) {
    desk.shownId = data.responseId
    desk.shownAt = performance.now()
    desk.typed = ""
  }
  desk.data = data
  draw(desk)
  return () => {
    document.removeEventListener("keydown", desk.onKey)
    clearInterval(desk.resend)
    desks.delete(root)
  }
}

// ---- sending -------------------------------------------------------------------------------------------------

function act(desk, action, more = {}) {
  // One action at a time: what comes while one is under way was pressed for a response that is about to leave.
  if (desk.pending) return
  const { data } = desk
  desk.pending = {
    action,
    action_id: Math.random().toString(36).slice(2) + Date.now().toString(36),
    response_id: data.responseId,
    proposal_id: data.proposal ? data.proposal.id : null,
    seen_decision_id: data.seenDecisionId,
    seconds: Math.round((performance.now() - desk.shownAt) / 100) / 10,
    comment: draftOf(desk),
    ...more,
  }
  desk.root.classList.add("busy")
  desk.send(desk.pending)
  // The connection may have been lost. The same action_id again is harmless: the store keeps one row for it.
  desk.resend = setInterval(() => {
    say(desk, "Not saved yet. Waiting for the server; this page will try again.")
    desk.send(desk.pending)
  }, RESEND_MS)
}

function settle(desk) {
  clearInterval(desk.resend)
  if (desk.pending.comment && desk.data && desk.pending.action !== "tick") desk.drafts.delete(desk.pending.response_id)
  desk.pending = null
  desk.typed = ""
  desk.root.classList.remove("busy")
}

function give(desk, mark) {
  act(desk, "mark", { mark })
}

// ---- keys ----------------------------------------------------------------------------------------------------

function onKey(desk, event) {
  const target = event.composedPath()[0]
  const typing = target.matches && target.matches("input, textarea, select, [contenteditable=true], [role=combobox]")
  if (!desk.root.isConnected || !desk.data) return
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && target.classList.contains("comment")) {
    event.preventDefault()
    return act(desk, "comment")
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
  if (document.querySelector("[role=dialog], [aria-modal=true]")) return
  if (handleKey(desk, event.key, target)) event.preventDefault()
}

function handleKey(desk, key, target) {
  const { data } = desk
  if (data.responseId === null) return key === "u" || key === "U" ? (undo(desk), true) : false
  if (/^[0-9.]$/.test(key)) return (typeMark(desk, key), true)
  if (key === "Escape") return (setTyped(desk, ""), true)
  if (key === "Enter") {
    if (desk.typed) return (giveTyped(desk), true)
    if (data.draftTotal !== null && !(target.matches && target.matches("button, a, summary"))) {
      return (givePoints(desk), true)
    }
    return false
  }
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
  if (desk.data.phase === "reveal") act(desk, "keep")
  else if (desk.data.phase === "mark" && desk.data.proposal && desk.data.proposal.mark !== null) act(desk, "accept")
}

function undo(desk) {
  if (desk.data.undo) act(desk, "undo", { undo_decision_id: desk.data.undo.decisionId })
  else say(desk, "There is nothing of yours to undo in this exam.")
}

// A digit sets its mark at once unless a longer legal mark begins with it; then a second digit or Enter decides.
// There is no timer, so a slow second digit can never turn 12 into 1.
function typeMark(desk, key) {
  if (desk.pending) return
  const typed = desk.typed + key
  const legal = desk.data.marks.map(String)
  const exact = legal.includes(String(Number(typed)))
  const longer = legal.some(mark => mark.length > typed.length && mark.startsWith(typed))
  if (exact && !longer) return give(desk, Number(typed))
  if (exact || longer || typed === "0") return setTyped(desk, typed)
  setTyped(desk, "")
  say(desk, `${typed} is not a mark here. This question goes from 0 to ${legal[legal.length - 1]}.`)
}

function giveTyped(desk) {
  const mark = Number(desk.typed)
  if (desk.data.marks.includes(mark)) give(desk, mark)
}

function setTyped(desk, typed) {
  desk.typed = typed
  const hint = desk.root.querySelector(".typed")
  if (hint) hint.textContent = typed ? `${typed}… another digit, or Enter for ${Number(typed)}` : ""
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

function toggleLegend(desk) {
  const legend = desk.root.querySelector(".legend")
  legend.hidden = !legend.hidden
}

function say(desk, text) {
  const notice = desk.root.querySelector(".notice")
  if (notice) {
    notice.textContent = text
    notice.hidden = false
  }
}

// ---- drafts of comments: what was typed stays, also across a reload ------------------------------------------

function draftKey(desk) {
  return `second-marker-comment-${desk.data.responseId}`
}

function draftOf(desk) {
  const area = desk.root.querySelector("textarea.comment")
  return area ? area.value.trim() : ""
}

function keepDraft(desk, text) {
  try {
    if (text) sessionStorage.setItem(draftKey(desk), text)
    else sessionStorage.removeItem(draftKey(desk))
  } catch { /* a browser without storage keeps the draft while the page is open */ }
}

function savedDraft(desk) {
  try {
    return sessionStorage.getItem(draftKey(desk)) || ""
  } catch {
    return ""
  }
}

// ---- drawing -------------------------------------------------------------------------------------------------

function element(tag, options = {}, ...children) {
  const node = document.createElement(tag)
  const { text, dataset, on, ...rest } = options
  if (text !== undefined) node.textContent = text
  if (dataset) Object.assign(node.dataset, dataset)
  for (const [event, handler] of Object.entries(on || {})) node.addEventListener(event, handler)
  for (const [name, value] of Object.entries(rest)) {
    if (name === "className") node.className = value
    else if (value === true) node.setAttribute(name, "")
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value)
  }
  node.append(...children.filter(Boolean))
  return node
}

function draw(desk) {
  const { data, root } = desk
  const focused = root.getRootNode().activeElement
  const keepFocus = focused && focused.classList.contains("comment") ? [focused.selectionStart, focused.selectionEnd] : null
  const sameResponse = root.dataset.responseId === String(data.responseId)
  const typed = sameResponse ? draftOf(desk) : null
  root.dataset.responseId = data.responseId
  root.dataset.ack = data.ack || ""
  root.replaceChildren(
    drawHead(desk),
    element("p", { className: "notice", role: "status", "aria-live": "polite", text: data.notice, hidden: !data.notice }),
    data.responseId === null ? drawDone(desk) : element("div", { className: "columns" }, drawAnswer(desk), drawPanel(desk)),
    drawLegend(desk),
  )
  const area = root.querySelector("textarea.comment")
  if (area) {
    area.value = (sameResponse && !data.commentSaved ? typed : null) || savedDraft(desk)
    if (data.commentSaved && sameResponse) { area.value = ""; keepDraft(desk, "") }
    if (keepFocus && sameResponse) { area.focus(); area.setSelectionRange(...keepFocus) }
  }
}

function drawHead(desk) {
  const { data } = desk
  const share = data.total ? Math.round((100 * data.done) / data.total) : 0
  return element("header", { className: "head" },
    element("span", { className: "progress-text", text: `${data.done} of ${data.total} marked` }),
    element("span", { className: "bar", role: "progressbar", "aria-valuenow": share, "aria-valuemin": 0, "aria-valuemax": 100, "aria-label": "marked" },
      element("span", { style: `width:${share}%` })),
    element("span", { className: "moves" },
      button("←", "Previous response (left arrow)", () => act(desk, "previous")),
      button("→", "Next response (right arrow)", () => act(desk, "next")),
      button("?", "Keys", () => toggleLegend(desk))))
}

function drawDone(desk) {
  const { data } = desk
  return element("section", { className: "card done" },
    element("h3", { text: data.emptyTitle }),
    element("p", { text: data.emptyText }),
    data.undo && button(data.undo.label, "Undo (U)", () => undo(desk), "U"))
}

function drawAnswer(desk) {
  const { data } = desk
  const text = element("div", { className: "answer", dir: "auto", tabindex: "0", "aria-label": `Answer of candidate ${data.candidate}` })
  if (data.blank) text.append(element("em", { className: "muted", text: "The candidate left this blank." }))
  for (const piece of data.segments) {
    text.append(piece.codes.length
      ? element("mark", { className: piece.kind, text: piece.text, title: piece.codes.join(", "), dataset: { codes: JSON.stringify(piece.codes) } })
      : document.createTextNode(piece.text))
  }
  return element("section", { className: "card" },
    element("h3", {}, element("span", { text: `Candidate ${data.candidate}` }),
      element("span", { className: "muted", text: ` · question ${data.questionNumber}` }),
      data.flagged && element("span", { className: "badge warn", text: "flagged for head of department" })),
    text,
    ...data.notes.map(note => element("p", { className: "note", text: note })))
}

function drawPanel(desk) {
  const { data } = desk
  const scale = element("div", { className: "row", role: "group", "aria-label": `Marks 0 to ${data.marks[data.marks.length - 1]}` },
    ...data.marks.map(mark => {
      const own = data.own && data.own.mark === mark
      return element("button", {
        type: "button", text: String(mark), className: own ? "chosen" : "", "aria-pressed": own ? "true" : "false",
        dataset: { mark: String(mark) }, on: { click: () => give(desk, mark) },
      })
    }))
  const area = element("textarea", {
    className: "comment", rows: "2", placeholder: "Comment (saved with your mark, or with Ctrl+Enter)", "aria-label": "Comment",
    on: { input: event => keepDraft(desk, event.target.value) },
  })
  return element("section", { className: "card panel" },
    drawProposal(desk),
    element("div", { className: "give" },
      data.own && element("p", { className: "own", text: data.own.label }),
      drawPrimary(desk),
      element("p", { className: "ask", text: data.ask }),
      scale,
      element("p", { className: "typed", "aria-live": "polite" })),
    element("div", { className: "more" },
      element("div", { className: "actions" },
        button("No response", "The candidate gave no response: a state of its own, not 0", () => act(desk, "no_response"), "N"),
        button(data.flagged ? "Unflag" : "Flag", "Flag for the head of department", () => act(desk, data.flagged ? "unflag" : "flag"), "F"),
        data.undo && button(data.undo.label, "Undo your last mark in this exam", () => undo(desk), "U")),
      area))
}

function drawPrimary(desk) {
  const { data } = desk
  if (data.phase === "reveal") {
    return element("div", { className: "primary" },
      button(`Keep mine: ${data.own.text}`, "Keep your mark", () => act(desk, "keep"), "A", "main"),
      element("span", { className: "muted", text: "or choose another mark below" }))
  }
  if (data.draftTotal !== null) {
    return element("div", { className: "primary" },
      button(`Give ${data.draftTotal} by your ticks`, "Give the total of the ticked points", () => givePoints(desk), "Enter", "main"),
      button("Clear ticks", "Back to the proposal's verdicts", () => act(desk, "tick", { points: null })))
  }
  if (data.phase === "mark" && data.proposal && data.proposal.mark !== null) {
    return element("div", { className: "primary" },
      button(`Accept ${data.proposal.mark}`, "Accept the proposal", () => accept(desk), "A", "main"))
  }
  return null
}

function drawProposal(desk) {
  const { data } = desk
  const box = element("div", { className: "proposal" })
  if (data.phase === "blind") {
    box.append(element("p", { className: "blind", text: "Mark first; the AI's mark appears after yours." }))
    if (data.points.length) box.append(drawPoints(desk))
    return box
  }
  if (!data.proposal) {
    box.append(element("p", { className: "muted", text: data.noProposal }))
    if (data.points.length) box.append(drawPoints(desk))
    return box
  }
  const { proposal } = data
  if (proposal.mark === null) {
    box.append(element("p", { className: "headline" }, element("strong", { text: proposal.status === "failed" ? "No proposal: it failed" : "No proposal" })),
      element("p", { text: proposal.reason }))
  } else {
    box.append(element("p", { className: "headline" },
      element("span", { className: "muted", text: "Proposal " }),
      element("strong", { className: "mark", text: `${proposal.mark} / ${data.marks[data.marks.length - 1]}` }),
      proposal.confidence && element("span", { className: `badge ${proposal.confidence === "unsure" ? "warn" : ""}`, text: proposal.confidence })))
  }
  box.append(element("p", { className: "label", text: proposal.label }))
  for (const flag of proposal.flags) box.append(element("p", { className: "flag", text: `⚠ ${flag}` }))
  if (data.points.length) box.append(drawPoints(desk))
  for (const verdict of proposal.others) box.append(drawVerdict(desk, verdict, null))
  if (proposal.mark !== null && proposal.reason) box.append(element("p", { className: "muted", text: proposal.reason }))
  return box
}

function drawPoints(desk) {
  const { data } = desk
  return element("div", { className: "points" },
    ...data.points.map(point => drawVerdict(desk, point, () => {
      const ticked = new Set(data.points.filter(each => each.ticked).map(each => each.name))
      if (!ticked.delete(point.name)) ticked.add(point.name)
      act(desk, "tick", { points: [...ticked] })
    })))
}

function drawVerdict(desk, verdict, onTick) {
  const state = verdict.ticked === null ? "" : verdict.ticked ? "yes" : "no"
  const name = onTick
    ? element("button", {
        type: "button", className: `tick ${state}`, "aria-pressed": verdict.ticked ? "true" : "false",
        title: `${verdict.text} (click to ${verdict.ticked ? "untick" : "tick"})`,
        text: `${verdict.ticked ? "✓" : "✗"} ${verdict.name}`, on: { click: onTick } })
    : element("span", { className: "name", text: verdict.name })
  const row = element("div", { className: `verdict ${state}`, dataset: { code: verdict.name }, on: {
    mouseenter: () => glow(desk, verdict.name, true), mouseleave: () => glow(desk, verdict.name, false) } },
    name,
    element("span", { className: "worth muted", text: verdict.worth }),
    verdict.label && element("span", { className: `badge ${verdict.notSure ? "warn" : ""}`, text: verdict.label }),
    element("span", { className: "quotes" }, state === "no" && verdict.quotes.length > 0 && element("span", { className: "muted", text: "nearest:" }), ...verdict.quotes.map(quote => element("q", {
      className: quote.verified ? "" : "unverified", text: quote.text, title: quote.verified ? "" : "Unverified: these words are not in the answer" }))),
    verdict.held && element("span", { className: "muted", text: verdict.held }))
  if (verdict.reason || verdict.text) {
    row.append(element("details", { open: desk.whyOpen }, element("summary", { text: "why" }),
      verdict.text && element("p", { className: "muted", text: verdict.text }),
      verdict.reason && element("p", { text: verdict.reason })))
  }
  return row
}

function glow(desk, code, on) {
  for (const span of desk.root.querySelectorAll(".answer mark")) {
    if (JSON.parse(span.dataset.codes).includes(code)) span.classList.toggle("glow", on)
  }
}

function drawLegend(desk) {
  const keys = [["A", "accept the proposal (keep yours at a reveal)"], ["0–9", "give that mark; two digits for 10 and more"],
    ["Enter", "confirm a typed mark or your ticks"], ["N", "no response"], ["F", "flag for head of department"], ["U", "undo"],
    ["← →", "previous, next"], ["W", "reasons open or closed"], ["Ctrl+Enter", "save the comment"], ["?", "this list"]]
  const open = desk.root.querySelector(".legend") && !desk.root.querySelector(".legend").hidden
  return element("dl", { className: "legend card", hidden: !open },
    ...keys.flatMap(([key, what]) => [element("dt", {}, element("kbd", { text: key })), element("dd", { text: what })]))
}

function button(text, title, onClick, key = "", className = "") {
  return element("button", { type: "button", title, className, on: { click: onClick } },
    document.createTextNode(text), key && element("kbd", { text: key }))
}
