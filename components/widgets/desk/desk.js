// The marking desk: answer, proposal, row of marks, keys. Everything it sends names the response that is on screen.
// Text of candidates and judges only ever becomes text nodes.

const desks = new WeakMap()
const RESEND_MS = 4000
const AFTER_CHOICE_MS = 100
const LOST_AFTER_MS = 10 * 60 * 1000
const UNSENT = "second-marker-unsent"

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const root = parentElement.querySelector(".desk")
  let desk = desks.get(root)
  if (!desk) {
    desk = { root, pending: null, typed: "", shownAt: 0, shownId: null, armed: false, whyOpen: false }
    desk.onKey = event => onKey(desk, event)
    desk.onClick = event => event.target.closest("[role=option], [role=radio]") && setTimeout(leaveToolbar, AFTER_CHOICE_MS)
    document.addEventListener("keydown", desk.onKey)
    document.addEventListener("click", desk.onClick, true)
    desks.set(root, desk)
  }
  desk.send = payload => setTriggerValue("action", payload)
  if (desk.pending && data.ack === desk.pending.action_id) settle(desk, data)
  if (data.responseId !== desk.shownId) {
    desk.shownId = data.responseId
    desk.shownAt = performance.now()
    desk.typed = ""
    desk.armed = false
  }
  desk.data = data
  draw(desk)
  arm(desk)
  if (!desk.pending) resumeUnsent(desk)
  return () => {
    document.removeEventListener("keydown", desk.onKey)
    document.removeEventListener("click", desk.onClick, true)
    clearInterval(desk.resend)
    desks.delete(root)
  }
}

// ---- sending -------------------------------------------------------------------------------------------------

// Keys and buttons answer only once the response has been painted: the second frame begins after the first was shown.
function arm(desk) {
  const shown = desk.shownId
  requestAnimationFrame(() => requestAnimationFrame(() => {
    if (desk.shownId !== shown) return
    desk.armed = true
    desk.root.dataset.ready = shown
  }))
}

function act(desk, action, more = {}) {
  // One action at a time: what comes while one is under way was pressed for a response that is about to leave.
  if (desk.pending || !desk.armed) return
  const { data } = desk
  post(desk, {
    action,
    marker_id: data.markerId,
    action_id: Math.random().toString(36).slice(2) + Date.now().toString(36),
    response_id: data.responseId,
    proposal_id: data.proposal ? data.proposal.id : null,
    seen_decision_id: data.seenDecisionId,
    seconds: Math.round((performance.now() - desk.shownAt) / 100) / 10,
    comment: draftOf(desk),
    ...more,
  })
}

function post(desk, press) {
  desk.pending = press
  desk.root.classList.add("busy")
  if (!["next", "previous", "tick"].includes(press.action)) {
    store(UNSENT, JSON.stringify({ press, at: Date.now() }))
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
  const kept = JSON.parse(stored(UNSENT) || "null")
  if (!kept) return
  store(UNSENT, "")
  if (kept.press.marker_id === desk.data.markerId && Date.now() - kept.at < LOST_AFTER_MS) post(desk, kept.press)
}

function settle(desk, data) {
  clearInterval(desk.resend)
  store(UNSENT, "")
  if (data.commentSaved) forgetDraft(desk, desk.pending)
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
  if (key === "Escape") return (setTyped(desk, ""), toggleLegend(desk, false), true)
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
  const { data } = desk
  if (data.draftTotal !== null) say(desk, `You have ticked points. Enter gives ${data.draftTotal}; or clear the ticks first.`)
  else if (data.phase === "reveal") act(desk, "keep")
  else if (data.phase === "mark" && data.proposal && data.proposal.mark !== null) act(desk, "accept")
  else say(desk, data.phase === "blind" ? "Mark first; the AI's mark appears after yours." : "There is no proposal to accept. Give a mark.")
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
  const next = desk.data.marks.some(mark => !Number.isInteger(mark)) ? "then .5 or the like" : "another digit"
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

// ---- drafts of comments: what was typed stays, also across a reload ------------------------------------------

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
  leaveToolbar()
  const focus = keptFocus(root)
  const sameResponse = root.dataset.responseId === String(data.responseId)
  const typed = sameResponse ? root.querySelector("textarea.comment")?.value : ""
  root.dataset.responseId = data.responseId
  root.dataset.ack = data.ack || ""
  // One node for good, so that a screen reader hears each notice.
  desk.notice = desk.notice || element("p", { className: "notice", role: "status", "aria-live": "polite" })
  const legend = drawLegend(desk)
  root.replaceChildren(
    drawHead(desk),
    legend,
    desk.notice,
    data.responseId === null ? drawDone(desk) : element("div", { className: "columns" }, drawAnswer(desk), drawPanel(desk)),
  )
  say(desk, data.notice)
  const area = root.querySelector("textarea.comment")
  if (area) area.value = typed || stored(draftKey(data.markerId, data.responseId))
  setTyped(desk, desk.typed)
  restoreFocus(root, focus, sameResponse)
}

// After a choice in the toolbar the keys are for the desk again; an open list is left alone.
function leaveToolbar() {
  const active = document.activeElement
  if (active && active.matches("[role=combobox]:not([aria-expanded=true]), [role=radio], [role=radiogroup] *")) active.blur()
}

function keptFocus(root) {
  const active = root.getRootNode().activeElement
  if (!active) return null
  if (active.matches("textarea.comment")) return { area: [active.selectionStart, active.selectionEnd] }
  return active.dataset.focus ? { name: active.dataset.focus } : null
}

function restoreFocus(root, focus, sameResponse) {
  if (!focus) return
  if (focus.area) {
    const area = root.querySelector("textarea.comment")
    if (area && sameResponse) { area.focus({ preventScroll: true }); area.setSelectionRange(...focus.area) }
    return
  }
  const again = root.querySelector(`[data-focus="${CSS.escape(focus.name)}"]`) || root.querySelector(".answer")
  if (again) again.focus({ preventScroll: true })
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
        dataset: { mark: String(mark), focus: `mark ${mark}` }, on: { click: () => give(desk, mark) },
      })
    }))
  const area = element("textarea", {
    className: "comment", rows: "2", placeholder: "Comment (saved with your mark, or with Ctrl+Enter)", "aria-label": "Comment",
    on: { input: event => keepDraft(desk, event.target.value) },
  })
  return element("section", { className: "card panel" },
    drawHeadline(desk),
    element("div", { className: "give" },
      data.own && element("p", { className: "own", text: data.own.label }),
      drawPrimary(desk),
      element("p", { className: "ask", text: data.ask }),
      scale,
      element("p", { className: "typed", "aria-live": "polite" }),
      element("div", { className: "actions" },
        button("No response", "The candidate gave no response: a state of its own, not 0", () => act(desk, "no_response"), "N"),
        button(data.flagged ? "Unflag" : "Flag", "Flag for the head of department", () => act(desk, data.flagged ? "unflag" : "flag"), "F"),
        data.undo && button(data.undo.label, "Undo your last mark in this exam", () => undo(desk), "U"))),
    drawVerdicts(desk),
    area)
}

function drawPrimary(desk) {
  const { data } = desk
  if (data.draftTotal !== null) {
    return element("div", { className: "primary" },
      button(`Give ${data.draftTotal} by your ticks`, "Give the total of the ticked points", () => givePoints(desk), "Enter", "main"),
      button("Clear ticks", "Back to the proposal's verdicts", () => act(desk, "tick", { points: null })))
  }
  if (data.phase === "reveal") {
    return element("div", { className: "primary" },
      button(`Keep mine: ${data.own.text}`, "Keep your mark", () => accept(desk), "A", "main"),
      element("span", { className: "muted", text: "or choose another mark below" }))
  }
  if (data.phase === "mark" && data.proposal && data.proposal.mark !== null) {
    return element("div", { className: "primary" },
      button(`Accept ${data.proposal.mark}`, "Accept the proposal", () => accept(desk), "A", "main"))
  }
  return null
}

// What the AI proposes, in a word or two; why, below the marks.
function drawHeadline(desk) {
  const { data } = desk
  const box = element("div", { className: "headline" })
  if (data.phase === "blind") {
    box.append(element("p", { className: "blind", text: "Mark first; the AI's mark appears after yours." }))
  } else if (!data.proposal) {
    box.append(element("p", { className: "muted", text: data.noProposal }))
  } else if (data.proposal.mark === null) {
    box.append(element("strong", { text: data.proposal.status === "failed" ? "No proposal: it failed" : "No proposal" }))
  } else {
    const { mark, confidence } = data.proposal
    box.append(element("span", { className: "muted", text: "Proposal " }),
      element("strong", { className: "mark", text: `${mark} / ${data.marks[data.marks.length - 1]}` }),
      confidence ? element("span", { className: `badge ${confidence === "unsure" ? "warn" : ""}`, text: confidence }) : "")
  }
  return box
}

function drawVerdicts(desk) {
  const { proposal, points } = desk.data
  const box = element("div", { className: "verdicts" })
  if (proposal) {
    if (proposal.mark === null) box.append(element("p", { text: proposal.reason }))
    box.append(element("p", { className: "label", text: proposal.label }))
    for (const flag of proposal.flags) box.append(element("p", { className: "flag", text: `⚠ ${flag}` }))
  }
  if (points.length) box.append(drawPoints(desk))
  if (proposal) {
    for (const verdict of proposal.others) box.append(drawVerdict(desk, verdict, null))
    if (proposal.mark !== null && proposal.reason) box.append(element("p", { className: "muted", text: proposal.reason }))
  }
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

// `awarded` is the AI's verdict and never changes; `ticked` is what stands for the teacher's total.
function drawVerdict(desk, verdict, onTick) {
  const { awarded, ticked } = verdict
  const sign = value => (value === null ? "" : value ? "✓ " : "✗ ")
  const state = ticked === null ? "" : ticked ? "yes" : "no"
  const name = onTick
    ? element("button", {
        type: "button", className: `tick ${state}`, "aria-pressed": ticked ? "true" : "false", dataset: { focus: `tick ${verdict.name}` },
        title: `${verdict.text} (click to ${ticked ? "untick" : "tick"})`, text: sign(ticked) + verdict.name, on: { click: onTick } })
    : element("span", { className: "name", text: verdict.name })
  const row = element("div", { className: `verdict ${awarded === false ? "no" : ""}`, dataset: { code: verdict.name }, on: {
    mouseenter: () => glow(desk, verdict.name, true), mouseleave: () => glow(desk, verdict.name, false) } },
    name,
    element("span", { className: "worth muted", text: verdict.worth }),
    onTick && awarded !== null && awarded !== ticked && element("span", { className: "badge warn", text: `AI: ${awarded ? "✓ awarded" : "✗ not awarded"}` }),
    verdict.label && element("span", { className: `badge ${verdict.notSure ? "warn" : ""}`, text: verdict.label }),
    element("span", { className: "quotes" },
      awarded === false && verdict.quotes.length > 0 && element("span", { className: "muted", text: "nearest:" }),
      ...verdict.quotes.map(quote => element("q", {
        className: quote.verified ? "" : "unverified", text: quote.text, title: quote.verified ? "" : "Unverified: these words are not in the answer" }))),
    verdict.held && element("span", { className: "muted", text: verdict.held }))
  if (verdict.reason || verdict.text) {
    row.append(element("details", { open: desk.whyOpen }, element("summary", { text: "why" }),
      verdict.text ? element("p", { className: "muted", text: verdict.text }) : "",
      verdict.reason ? element("p", { text: verdict.reason }) : ""))
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
  return element("button", { type: "button", title, className, dataset: { focus: key || text }, on: { click: onClick } },
    document.createTextNode(text), key && element("kbd", { text: key }))
}
