// A loupe for small writing: a round glass that follows the pointer while L is held or its button is on.

const LOUPE_POWER = 2.5
const LOUPE_SIZE = 200
const ABOVE_FINGER = 110

function holdLoupe(desk, on) {
  if (!desk.viewer || Boolean(desk.loupe) === on) return
  desk.loupe = on ? "held" : null
  changeLoupe(desk)
}

function toggleLoupe(desk) {
  desk.loupe = desk.loupe ? null : "on"
  changeLoupe(desk)
}

function changeLoupe(desk) {
  refreshToolbar(desk)
  setView(desk, desk.viewer.view)
}

// L lifted, or the window left while it was down.
function releaseLoupe(desk, event) {
  if (desk.loupe === "held" && (event.type === "blur" || event.key.toLowerCase() === "l")) holdLoupe(desk, false)
}

function drawLoupe(desk) {
  const { viewer } = desk
  const shown = desk.loupe && viewer.pointer && viewer.picture.getAttribute("src") && (!viewer.pointers.size || viewer.gesture === "look")
  if (!shown) {
    if (viewer.loupe) viewer.loupe.hidden = true
    return
  }
  if (!viewer.loupe) {
    viewer.loupe = element("div", { className: "loupe" }, element("img", { alt: "" }))
    viewer.stage.append(viewer.loupe)
  }
  const page = pageOf(desk)
  const picture = viewer.loupe.firstChild
  if (picture.getAttribute("src") !== viewer.picture.getAttribute("src")) picture.setAttribute("src", viewer.picture.getAttribute("src"))
  const [sx, sy] = viewer.pointer
  const [px, py] = toPage(viewer.view, viewer.pointer)
  const glass = { scale: viewer.view.scale * LOUPE_POWER, turn: viewer.view.turn, x: 0, y: 0 }
  const [dx, dy] = toStage(glass, [px, py])
  const centre = LOUPE_SIZE / 2
  Object.assign(picture.style, { width: `${page.width}px`, height: `${page.height}px`,
    transform: transform({ ...glass, x: centre - dx, y: centre - dy }) })
  const lift = viewer.gesture === "look" ? ABOVE_FINGER : 0
  Object.assign(viewer.loupe.style, { left: `${sx - centre}px`, top: `${sy - centre - lift}px` })
  viewer.loupe.hidden = false
}
