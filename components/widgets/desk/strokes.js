// Strokes as shapes. Places are fractions of the page, sizes fractions of its width; the shapes live in a square of
// SHEET units across, as high as the page. Text only ever becomes text nodes.

const SHEET = 1000
const COLOURS = { red: "#d1142a", green: "#0a7d33", blue: "#1a56c4", black: "#1b1b1b" }
const OTHER_COLOURS = ["#8b2fc9", "#b45309", "#00767d"]

function svgElement(tag, attributes, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag)
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value)
  if (text !== undefined) node.textContent = text
  return node
}

function otherColour(i) {
  return OTHER_COLOURS[i % OTHER_COLOURS.length]
}

function drawInk(desk) {
  const { viewer } = desk
  const page = pageOf(desk)
  const ratio = page.height / page.width
  viewer.ink.setAttribute("viewBox", `0 0 ${SHEET} ${SHEET * ratio}`)
  const layer = (name, ...shapes) => {
    const group = svgElement("g", { class: name })
    group.append(...shapes)
    return group
  }
  const others = desk.othersHidden ? [] : page.others.map((other, i) => {
    const group = layer("other", ...other.strokes.map(stroke => strokeShape(stroke, ratio, otherColour(i))))
    group.prepend(svgElement("title", {}, other.name))
    return group
  })
  const strokes = [...inkOf(desk).strokes, ...(viewer.drawing ? [viewer.drawing] : [])]
  viewer.ink.replaceChildren(
    layer("boxes", ...page.boxes.flatMap(box => boxShape(box, ratio))), ...others,
    layer("own", ...strokes.map(stroke => strokeShape(stroke, ratio))))
}

function boxShape(box, ratio) {
  const [x, y] = [box.x0 * SHEET, box.y0 * SHEET * ratio]
  const group = svgElement("g", { class: `box ${box.kind}`, "data-code": box.code })
  group.append(
    svgElement("rect", { x, y, width: (box.x1 - box.x0) * SHEET, height: (box.y1 - box.y0) * SHEET * ratio, rx: 4 }),
    svgElement("text", { x: x + 4, y: Math.max(18, y - 5), "font-size": 18 }, box.code))
  return [group]
}

function strokeShape(stroke, ratio, colour = COLOURS[stroke.colour] || COLOURS.red) {
  const line = { fill: "none", stroke: colour, "stroke-linecap": "round", "stroke-linejoin": "round", class: `stroke is-${stroke.kind}` }
  if (stroke.kind === "pen") return svgElement("path", { ...line, d: penPath(stroke.points, ratio), "stroke-width": stroke.width * SHEET })
  if (stroke.kind === "circle") {
    return svgElement("ellipse", { ...line, "stroke-width": stroke.width * SHEET,
      cx: ((stroke.x0 + stroke.x1) / 2) * SHEET, cy: ((stroke.y0 + stroke.y1) / 2) * SHEET * ratio,
      rx: (Math.abs(stroke.x1 - stroke.x0) / 2) * SHEET, ry: (Math.abs(stroke.y1 - stroke.y0) / 2) * SHEET * ratio })
  }
  const size = stroke.size * SHEET
  const place = `translate(${stroke.x * SHEET} ${stroke.y * SHEET * ratio}) rotate(${stroke.turn})`
  if (stroke.kind === "tick" || stroke.kind === "cross") {
    const d = stroke.kind === "tick" ? "M -.45 .05 L -.12 .4 L .5 -.45" : "M -.4 -.4 L .4 .4 M .4 -.4 L -.4 .4"
    return svgElement("path", { ...line, d, "stroke-width": 0.14, transform: `${place} scale(${size})` })
  }
  return svgElement("text", { fill: colour, class: `stroke is-${stroke.kind}`, transform: place, "font-size": size, "dominant-baseline": "central",
    "text-anchor": stroke.kind === "label" ? "middle" : "start", "font-weight": stroke.kind === "label" ? 700 : 500 }, stroke.text)
}

function penPath(points, ratio) {
  const at = ([x, y]) => `${(x * SHEET).toFixed(2)} ${(y * SHEET * ratio).toFixed(2)}`
  // A dot is a line of no length, which round ends make visible.
  return `M ${at(points[0])} L ${(points.length > 1 ? points.slice(1) : points).map(at).join(" L ")}`
}

// Whether a place is on a stroke or within `reach` of it, all in fractions of the page's width.
function touches(stroke, [x, y], reach, ratio) {
  const far = (ax, ay) => Math.hypot(ax - x, (ay - y) * ratio)
  if (stroke.kind === "pen") {
    return stroke.points.some((point, i) => lineDistance([x, y * ratio], stroke.points[i - 1] || point, point, ratio) < reach + stroke.width)
  }
  if (stroke.kind === "circle") {
    const [rx, ry] = [Math.max(1e-4, Math.abs(stroke.x1 - stroke.x0) / 2), Math.max(1e-4, (Math.abs(stroke.y1 - stroke.y0) / 2) * ratio)]
    const [dx, dy] = [x - (stroke.x0 + stroke.x1) / 2, (y - (stroke.y0 + stroke.y1) / 2) * ratio]
    return Math.abs(Math.hypot(dx / rx, dy / ry) - 1) * Math.min(rx, ry) < reach + stroke.width
  }
  if (stroke.kind === "tick" || stroke.kind === "cross") return far(stroke.x, stroke.y) < stroke.size / 2 + reach
  const [dx, dy] = [x - stroke.x, (y - stroke.y) * ratio]
  const [along, across] = [COS[stroke.turn] * dx + SIN[stroke.turn] * dy, -SIN[stroke.turn] * dx + COS[stroke.turn] * dy]
  const long = stroke.size * 0.6 * stroke.text.length
  const start = stroke.kind === "label" ? -long / 2 : 0
  return along > start - reach && along < start + long + reach && Math.abs(across) < stroke.size / 2 + reach
}

function lineDistance([x, y], [ax, ay], [bx, by], ratio) {
  const [vx, vy] = [bx - ax, (by - ay) * ratio]
  const length = vx * vx + vy * vy
  const t = length ? Math.max(0, Math.min(1, ((x - ax) * vx + (y - ay * ratio) * vy) / length)) : 0
  return Math.hypot(x - ax - t * vx, y - ay * ratio - t * vy)
}
