// Drawing on a page: tools, what they leave, undo. Every change goes to the outbox at once.

const MOST_STROKES = 500
const MOST_POINTS = 1900
const MOST_POINTS_ON_PAGE = 38000
const STAMP_PX = 30
const PEN_PX = 2.6
const ERASER_PX = 9
const MOST_UNDO = 100
const TOOL_KEYS = { v: "move", p: "pen", k: "tick", x: "cross", o: "circle", t: "text", e: "eraser" }

function tool(desk) {
  const chosen = desk.tool || "move"
  // A label of another question's scheme is no tool here.
  return chosen.startsWith("label ") && !desk.data.labels.includes(chosen.slice(6)) ? "move" : chosen
}

function colour(desk) {
  return desk.colour || "red"
}

function chooseTool(desk, name) {
  commitText(desk)
  desk.tool = tool(desk) === name ? "move" : name
  refreshToolbar(desk)
  setView(desk, desk.viewer.view)
}

function toolKey(desk, key) {
  if (!TOOL_KEYS[key]) return false
  chooseTool(desk, TOOL_KEYS[key])
  return true
}

function slotOf(desk) {
  return `${desk.data.responseId}/${pageOf(desk).page}`
}

// What this marker's page looks like: what waits to be saved, else what the server has.
function inkOf(desk) {
  desk.ink ??= new Map()
  const slot = slotOf(desk)
  const kept = desk.ink.get(slot) || { undo: [] }
  const unsaved = waiting(desk, slot)
  kept.strokes = unsaved ? unsaved.payload.strokes : pageOf(desk).own
  desk.ink.set(slot, kept)
  return kept
}

function setInk(desk, strokes) {
  const ink = inkOf(desk)
  ink.undo = [...ink.undo, ink.strokes].slice(-MOST_UNDO)
  saveInk(desk, strokes)
}

function saveInk(desk, strokes) {
  save(desk, slotOf(desk), { action: "annotate", response_id: desk.data.responseId, page: pageOf(desk).page, strokes })
  drawInk(desk)
}

function undoInk(desk) {
  const ink = inkOf(desk)
  cancelInk(desk)
  if (ink.undo.length) saveInk(desk, ink.undo.pop())
  else say(desk, "There is nothing of yours to take back on this page. U takes back a mark.")
}

function clearInk(desk) {
  cancelInk(desk)
  if (inkOf(desk).strokes.length) setInk(desk, [])
}

function fraction(desk, place) {
  const page = pageOf(desk)
  const [x, y] = toPage(desk.viewer.view, place)
  const within = value => Math.min(1, Math.max(0, Math.round(value * 1e5) / 1e5))
  return [within(x / page.width), within(y / page.height)]
}

// So many pixels of the screen, as a fraction of the page's width.
function onPage(desk, pixels, least, most) {
  const size = pixels / (desk.viewer.view.scale * pageOf(desk).width)
  return Math.min(most, Math.max(least, Math.round(size * 1e5) / 1e5))
}

function upright(desk) {
  return (360 - desk.viewer.view.turn) % 360
}

function beginInk(desk, place) {
  const { viewer } = desk
  const [x, y] = fraction(desk, place)
  const width = onPage(desk, PEN_PX, 0.0003, 0.02)
  viewer.began = place
  if (tool(desk) === "pen") viewer.drawing = { kind: "pen", colour: colour(desk), width, points: [[x, y]] }
  if (tool(desk) === "circle") viewer.drawing = { kind: "circle", colour: colour(desk), width, x0: x, y0: y, x1: x, y1: y }
  if (tool(desk) === "eraser") viewer.rubbed = { from: inkOf(desk).strokes, left: rubOut(desk, inkOf(desk).strokes, place) }
  showDrawing(desk)
}

function moveInk(desk, place) {
  const { viewer } = desk
  if (viewer.rubbed) {
    viewer.rubbed.left = rubOut(desk, viewer.rubbed.left, place)
    return
  }
  const { drawing } = viewer
  if (!drawing) return
  const [x, y] = fraction(desk, place)
  if (drawing.kind === "circle") Object.assign(drawing, { x1: x, y1: y })
  else if (drawing.points.length < MOST_POINTS) drawing.points.push([x, y])
  showDrawing(desk)
}

// Only the stroke under way is drawn again.
function showDrawing(desk) {
  const { viewer } = desk
  if (!viewer.drawing) return
  const page = pageOf(desk)
  const shape = strokeShape(viewer.drawing, page.height / page.width)
  const own = viewer.ink.querySelector(".own")
  if (viewer.shape && viewer.shape.parentNode === own) viewer.shape.replaceWith(shape)
  else own.append(shape)
  viewer.shape = shape
}

function rubOut(desk, strokes, place) {
  const page = pageOf(desk)
  const reach = onPage(desk, ERASER_PX, 0.001, 0.05)
  const left = strokes.filter(stroke => !touches(stroke, fraction(desk, place), reach, page.height / page.width))
  const own = desk.viewer.ink.querySelector(".own")
  if (left.length < strokes.length) own.replaceChildren(...left.map(stroke => strokeShape(stroke, page.height / page.width)))
  return left
}

function endInk(desk, place = null) {
  const { viewer } = desk
  const { drawing, rubbed } = viewer
  const began = viewer.began
  forgetInk(viewer)
  if (rubbed) {
    if (rubbed.left.length < rubbed.from.length) setInk(desk, rubbed.left)
  } else if (drawing) {
    if (drawing.kind === "pen" || drawing.x0 !== drawing.x1 || drawing.y0 !== drawing.y1) addStroke(desk, drawing)
    else drawInk(desk)
  } else if (began && place) {
    stamp(desk, began)
  }
}

function cancelInk(desk) {
  if (!desk.viewer.began) return
  forgetInk(desk.viewer)
  drawInk(desk)
}

function forgetInk(viewer) {
  viewer.drawing = viewer.rubbed = viewer.began = viewer.shape = null
}

function stamp(desk, place) {
  const chosen = tool(desk)
  if (chosen === "text") return openTextBox(desk, place)
  const [x, y] = fraction(desk, place)
  const kind = chosen.startsWith("label ") ? "label" : chosen
  const stroke = { kind, colour: colour(desk), x, y, size: onPage(desk, kind === "label" ? STAMP_PX * 0.8 : STAMP_PX, 0.004, 0.4), turn: upright(desk) }
  if (kind === "label") stroke.text = chosen.slice(6)
  addStroke(desk, stroke)
}

function addStroke(desk, stroke) {
  const strokes = [...inkOf(desk).strokes, stroke]
  const points = strokes.reduce((sum, each) => sum + (each.points ? each.points.length : 0), 0)
  if (strokes.length > MOST_STROKES || points > MOST_POINTS_ON_PAGE) {
    drawInk(desk)
    say(desk, "This page can hold no more. Rub something out first.")
  } else {
    setInk(desk, strokes)
  }
}

// Text is typed where it will stand; Enter keeps it, Escape drops it, leaving keeps it.
function openTextBox(desk, place) {
  const { viewer } = desk
  const input = element("input", { className: "text-box", type: "text", maxlength: "200", "aria-label": "Text on the page", style: `color:${COLOURS[colour(desk)]}`,
    on: {
      keydown: event => {
        if (event.key === "Escape") closeTextBox(desk)
        else if (event.key === "Enter") commitText(desk)
        else return
        event.preventDefault()
        event.stopPropagation()
        viewer.stage.focus({ preventScroll: true })
      },
      blur: () => commitText(desk),
    } })
  viewer.textBox = { input, at: fraction(desk, place), size: onPage(desk, STAMP_PX * 0.7, 0.004, 0.4), turn: upright(desk), colour: colour(desk) }
  viewer.stage.append(input)
  placeTextBox(desk)
  input.focus({ preventScroll: true })
}

function placeTextBox(desk) {
  const box = desk.viewer.textBox
  if (!box) return
  const page = pageOf(desk)
  const [left, top] = toStage(desk.viewer.view, [box.at[0] * page.width, box.at[1] * page.height])
  Object.assign(box.input.style, { left: `${left}px`, top: `${top}px` })
}

function closeTextBox(desk) {
  const box = desk.viewer.textBox
  desk.viewer.textBox = null
  if (box) box.input.remove()
  return box
}

function commitText(desk) {
  const box = desk.viewer && closeTextBox(desk)
  const text = box ? box.input.value.trim() : ""
  if (text) addStroke(desk, { kind: "text", colour: box.colour, x: box.at[0], y: box.at[1], size: box.size, turn: box.turn, text })
  return Boolean(box)
}
