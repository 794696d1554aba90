// The answer's card: text, pictures or both, with what others said of it.

function drawColumns(desk) {
  const viewer = viewerFor(desk)
  if (desk.data.responseId === null) return drawDone(desk)
  const panel = drawPanel(desk)
  if (!viewer) return element("div", { className: "columns" }, element("section", { className: "card" }, ...answerParts(desk)), panel)
  updateTranscript(desk)
  const [title, text, ...notes] = answerParts(desk)
  place(viewer.card, [title, desk.data.segments.some(piece => piece.text) && text, viewer.node, viewer.transcript, ...notes])
  place(viewer.columns, [viewer.card, panel])
  return viewer.columns
}

function answerParts(desk) {
  const { data } = desk
  const text = element("div", { className: "answer", dir: "auto", tabindex: "0", "aria-label": `Answer of candidate ${data.candidate}` })
  if (data.blank) text.append(element("em", { className: "muted", text: "The candidate left this blank." }))
  for (const piece of data.segments) {
    text.append(piece.codes.length
      ? element("mark", { className: piece.kind, text: piece.text, title: piece.codes.join(", "), dataset: { codes: JSON.stringify(piece.codes) } })
      : document.createTextNode(piece.text))
  }
  return [
    element("h3", {}, element("span", { text: `Candidate ${data.candidate}` }),
      element("span", { className: "muted", text: ` · question ${data.questionNumber}` }),
      data.flagged && element("span", { className: "badge warn", text: "flagged for head of department" })),
    text,
    ...data.notes.map(note => element("p", { className: "note", text: note })),
  ]
}

// Puts these children in the place of the old ones. A child that is there already is not moved, so that what goes on in
// it (a line under way, a word half typed) goes on.
function place(parent, children) {
  const wanted = children.filter(Boolean)
  for (const old of [...parent.childNodes]) if (!wanted.includes(old)) old.remove()
  wanted.forEach((child, i) => {
    if (parent.childNodes[i] !== child) parent.insertBefore(child, parent.childNodes[i] || null)
  })
}

// What the same judge said before and says now.
function drawComparison(desk) {
  const { comparison } = desk.data
  if (!comparison.length) return null
  return element("div", { className: "comparison" }, ...comparison.map(side => element("div", {},
    element("p", { className: "muted", text: side.when }),
    element("p", {}, element("strong", { text: side.mark === null ? "No mark" : `${side.mark}` })),
    ...side.verdicts.map(verdict => element("p", { text: verdict })))))
}

// Points whose evidence is looked at: words in the text, boxes on the page.
function glow(desk, code, on) {
  for (const span of desk.root.querySelectorAll(".answer mark")) {
    if (JSON.parse(span.dataset.codes).includes(code)) span.classList.toggle("glow", on)
  }
  for (const box of desk.root.querySelectorAll(".box")) {
    if (box.dataset.code === code) box.classList.toggle("glow", on)
  }
}
