// The buttons over the pictures: how they are seen, and what is drawn on them.

const TOOLS = [
  ["move", "Move", "Move the page", "V"], ["pen", "✎", "Pen", "P"], ["tick", "✓", "Tick", "K"], ["cross", "✗", "Cross", "X"],
  ["circle", "◯", "Circle", "O"], ["text", "T", "Text", "T"], ["eraser", "⌫", "Rub out", "E"],
]

function drawToolbar(desk) {
  const { data } = desk
  const several = data.pages.length > 1
  const turn = by => () => turnPage(desk, desk.viewer.index + by)
  return element("div", { className: "tools", role: "toolbar", "aria-label": "Picture" },
    element("span", { className: "group" },
      several && tiny("‹", "Page before (PageUp)", turn(-1)),
      several && element("span", { className: "page-number" }),
      several && tiny("›", "Next page (PageDown)", turn(1)),
      tiny("−", "Smaller (−)", () => zoom(desk, 1 / ZOOM_STEP)),
      tiny("+", "Larger (+)", () => zoom(desk, ZOOM_STEP)),
      tiny("↔", "Fit the width (Z)", () => fitTo(desk, "width")),
      tiny("↕", "Whole page (Z)", () => fitTo(desk, "page")),
      tiny("↶", "Turn left ([)", () => rotate(desk, -90)),
      tiny("↷", "Turn right (])", () => rotate(desk, 90)),
      tiny("⌕", "Loupe (hold L)", () => toggleLoupe(desk), "loupe-button")),
    element("span", { className: "group" },
      ...TOOLS.map(([name, sign, what, key]) => toolButton(desk, name, sign, `${what} (${key})`)),
      ...data.labels.map(label => toolButton(desk, `label ${label}`, label, `Put ${label} on the page`))),
    element("span", { className: "group" },
      colourBox(desk),
      tiny("↩", "Take back the last change on the page (Ctrl+Z)", () => undoInk(desk)),
      tiny("Clear", "Take all that you drew off this page (Ctrl+Z brings it back)", () => clearInk(desk))))
}

function tiny(text, title, onClick, className = "") {
  return element("button", { type: "button", title, "aria-label": title, className: `tiny ${className}`, text,
    dataset: { focus: `view ${title}` }, on: { click: onClick } })
}

function toolButton(desk, name, text, title) {
  const made = tiny(text, title, () => chooseTool(desk, name))
  made.dataset.tool = name
  return made
}

function colourBox(desk) {
  const box = element("select", { className: "colour", "aria-label": "Colour", title: "Colour", on: { change: () => {
    desk.colour = box.value
    box.blur()
  } } }, ...Object.keys(COLOURS).map(name => element("option", { text: name, value: name })))
  box.value = colour(desk)
  return box
}

function refreshToolbar(desk) {
  const { viewer, data } = desk
  for (const made of viewer.bar.querySelectorAll("[data-tool]")) {
    made.setAttribute("aria-pressed", made.dataset.tool === tool(desk) ? "true" : "false")
  }
  viewer.bar.querySelector(".loupe-button").setAttribute("aria-pressed", desk.loupe ? "true" : "false")
  const number = viewer.bar.querySelector(".page-number")
  if (number) number.textContent = `page ${viewer.index + 1} of ${data.pages.length}`
  viewer.stage.dataset.tool = tool(desk)
  drawOthersLine(desk)
  drawSaveState(desk)
}

function drawSaveState(desk) {
  if (!desk.viewer) return
  const slot = slotOf(desk)
  const count = inkOf(desk).strokes.length
  const state = waiting(desk, slot) ? "saving …" : count ? `saved · ${count} on this page` : ""
  const node = desk.viewer.saveState
  if (node.textContent !== state) node.textContent = state
}

// Whose marks are on the page beside the teacher's own, in which colour.
function drawOthersLine(desk) {
  const { viewer } = desk
  const { others } = pageOf(desk)
  viewer.others.hidden = !others.length
  if (!others.length) return
  viewer.others.replaceChildren(
    ...others.map((other, i) => element("span", {}, element("span", { className: "dot", style: `background:${otherColour(i)}` }),
      document.createTextNode(` ${other.name} `))),
    tiny(desk.othersHidden ? "Show what others drew" : "Hide what others drew", "Show or hide what other markers drew (H)", () => hideOthers(desk)))
}

function hideOthers(desk) {
  desk.othersHidden = !desk.othersHidden
  drawInk(desk)
  drawOthersLine(desk)
}
