// Drawing the desk. Text of candidates and judges only ever becomes text nodes.

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
  if (drawnAlready(desk)) return
  leaveToolbar()
  const focus = keptFocus(root)
  const sameResponse = root.dataset.responseId === String(data.responseId)
  const typed = sameResponse ? root.querySelector("textarea.comment")?.value : ""
  root.dataset.responseId = data.responseId
  root.dataset.ack = data.ack || ""
  // One node for good, so that a screen reader hears each notice.
  desk.notice = desk.notice || element("p", { className: "notice", role: "status", "aria-live": "polite" })
  const head = drawHead(desk)
  const columns = drawColumns(desk)
  const legend = drawLegend(desk)
  place(root, [head, legend, desk.notice, columns])
  say(desk, data.notice)
  const area = root.querySelector("textarea.comment")
  if (area) area.value = typed || stored(draftKey(data.markerId, data.responseId))
  setTyped(desk, desk.typed)
  restoreFocus(root, focus, sameResponse)
}

// A save of strokes changes nothing beside the picture, and must not close what the teacher has opened there.
function drawnAlready(desk) {
  const face = JSON.stringify({ ...desk.data, saved: null, pages: null, transcript: null })
  const same = Boolean(desk.viewer) && face === desk.face
  desk.face = face
  if (same) {
    viewerFor(desk)
    updateTranscript(desk)
    say(desk, desk.data.notice)
  }
  return same
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
  const again = root.querySelector(`[data-focus="${CSS.escape(focus.name)}"]`) || root.querySelector(".answer, .stage")
  if (again) again.focus({ preventScroll: true })
}

function drawHead(desk) {
  const { data } = desk
  const share = data.total ? Math.round((100 * data.done) / data.total) : 0
  return element("header", { className: "head" },
    element("span", { className: "progress-text", text: data.review ? data.review.progress : `${data.done.toLocaleString("en-GB")} of ${data.total.toLocaleString("en-GB")} marked` }),
    element("span", { className: "bar", role: "progressbar", "aria-valuenow": share, "aria-valuemin": 0, "aria-valuemax": 100, "aria-label": data.review ? "settled" : "marked" },
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
    className: "comment", rows: "2", placeholder: data.review ? "Reason (saved with your decision)" : "Comment (saved with your mark, or with Ctrl+Enter)",
    "aria-label": data.review ? "Reason" : "Comment",
    on: { input: event => keepDraft(desk, event.target.value) },
  })
  return element("section", { className: "card panel" },
    drawHeadline(desk),
    data.review && drawGiven(desk),
    data.review && data.review.readOnly ? element("p", { className: "blind", text: READ_ONLY }) : element("div", { className: "give" },
      data.own && element("p", { className: "own", text: data.own.label }),
      drawPrimary(desk),
      element("p", { className: "ask", text: data.ask }),
      scale,
      element("p", { className: "typed", "aria-live": "polite" }),
      element("div", { className: "actions" }, ...(data.review ? drawReviewActions(desk) : drawActions(desk)))),
    data.review && element("p", { className: "label", text: data.review.rule }),
    drawVerdicts(desk),
    data.review && data.review.readOnly ? null : area)
}

function drawActions(desk) {
  const { data } = desk
  return [
    button("No response", "The candidate gave no response: a state of its own, not 0", () => act(desk, "no_response"), "N"),
    button(data.flagged ? "Unflag" : "Flag", "Flag for the head of department", () => act(desk, data.flagged ? "unflag" : "flag"), "F"),
    data.undo && button(data.undo.label, "Undo your last mark in this exam", () => undo(desk), "U"),
  ]
}

function drawPrimary(desk) {
  const { data } = desk
  if (data.draftTotal !== null) {
    return element("div", { className: "primary" },
      button(`Give ${data.draftTotal} by your ticks`, "Give the total of the ticked points", () => givePoints(desk), "Enter", "main"),
      button("Clear ticks", "Back to the proposal's verdicts", () => act(desk, "tick", { points: null })))
  }
  if (data.review) return null
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
    box.append(element("p", { className: "blind", text: data.markFirst }))
  } else if (!data.proposal) {
    box.append(element("p", { className: "muted", text: data.noProposal }))
  } else if (data.proposal.mark === null) {
    box.append(element("strong", { text: data.proposal.status === "failed" ? "No proposal: it failed" : "No proposal" }))
  } else {
    const { mark, confidence } = data.proposal
    box.append(element("span", { className: "muted", text: data.review ? "AI " : "Proposal " }),
      element("strong", { className: "mark", text: `${mark} / ${data.marks[data.marks.length - 1]}` }),
      confidence ? element("span", { className: `badge ${confidence === "unsure" ? "warn" : ""}`, text: confidence }) : "",
      (data.review && drawTake(desk, `Take ${mark}`, "A", () => take(desk, "a"))) || "")
  }
  return box
}

function drawVerdicts(desk) {
  const { proposal, points } = desk.data
  const box = element("div", { className: "verdicts" })
  if (proposal) {
    if (proposal.mark === null) box.append(element("p", { text: proposal.reason }))
    const comparison = drawComparison(desk)
    if (comparison) box.append(comparison)
    for (const caption of proposal.captions) box.append(element("p", { className: "label", text: caption }))
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

function drawLegend(desk) {
  const { data } = desk
  const keys = data.review ? [...REVIEW_KEYS, ...(desk.viewer ? pictureKeysInReview() : [])] : [["A", "accept the proposal (keep yours at a reveal)"], ["0–9", "give that mark; two digits for 10 and more"],
    ["Enter", "confirm a typed mark or your ticks"], ["N", "no response"], ["F", "flag for head of department"], ["U", "undo"],
    ["← →", "previous, next"], ["W", "reasons open or closed"], ["Ctrl+Enter", "save the comment"], ["?", "this list"],
    ...(desk.viewer ? PICTURE_KEYS : [])]
  const open = desk.root.querySelector(".legend") && !desk.root.querySelector(".legend").hidden
  return element("dl", { className: "legend card", hidden: !open },
    ...keys.flatMap(([key, what]) => [element("dt", {}, element("kbd", { text: key })), element("dd", { text: what })]))
}

function button(text, title, onClick, key = "", className = "") {
  return element("button", { type: "button", title, className, dataset: { focus: key || text }, on: { click: onClick } },
    document.createTextNode(text), key && element("kbd", { text: key }))
}
