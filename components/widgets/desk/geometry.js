// Where a page lies on the stage. A view is { scale, x, y, turn }: a page's pixel (px, py), turned clockwise by `turn`
// degrees and scaled, lies at (x, y) + that.

const SIN = { 0: 0, 90: 1, 180: 0, 270: -1 }
const COS = { 0: 1, 90: 0, 180: -1, 270: 0 }

function toStage(view, [px, py]) {
  const { scale, turn } = view
  return [view.x + scale * (COS[turn] * px - SIN[turn] * py), view.y + scale * (SIN[turn] * px + COS[turn] * py)]
}

function toPage(view, [sx, sy]) {
  const { scale, turn } = view
  const [dx, dy] = [(sx - view.x) / scale, (sy - view.y) / scale]
  return [COS[turn] * dx + SIN[turn] * dy, -SIN[turn] * dx + COS[turn] * dy]
}

// The page's bounding box on the stage.
function bounds(view, page) {
  const [ax, ay] = toStage(view, [0, 0])
  const [bx, by] = toStage(view, [page.width, page.height])
  return { left: Math.min(ax, bx), top: Math.min(ay, by), width: Math.abs(bx - ax), height: Math.abs(by - ay) }
}

function turned(view, page) {
  return view.turn % 180 ? [page.height, page.width] : [page.width, page.height]
}

function fitted(view, page, stage, how) {
  const [width, height] = turned(view, page)
  const scale = how === "width" ? stage.width / width : Math.min(stage.width / width, stage.height / height)
  const moved = { ...view, scale }
  const box = bounds(moved, page)
  return settled({ ...moved, x: moved.x - box.left, y: moved.y - box.top }, page, stage)
}

// No gap where the page is larger than the stage, and centred where it is smaller.
function settled(view, page, stage) {
  const box = bounds(view, page)
  const shift = (at, size, room) => (size <= room ? (room - size) / 2 - at : Math.min(0, Math.max(room - size, at)) - at)
  return { ...view, x: view.x + shift(box.left, box.width, stage.width), y: view.y + shift(box.top, box.height, stage.height) }
}

// Scaled by a factor with the point under (sx, sy) kept where it is.
function zoomed(view, factor, [sx, sy], page, stage) {
  const least = fitted(view, page, stage, "page").scale * 0.5
  const scale = Math.min(Math.max(view.scale * factor, Math.min(least, view.scale)), 12 * fitted(view, page, stage, "width").scale)
  const ratio = scale / view.scale
  return settled({ ...view, scale, x: sx - (sx - view.x) * ratio, y: sy - (sy - view.y) * ratio }, page, stage)
}

function transform(view) {
  return `translate(${view.x}px, ${view.y}px) rotate(${view.turn}deg) scale(${view.scale})`
}
