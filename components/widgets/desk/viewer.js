// The pictures of an answer: one node that stays in the page while its response is on the desk, so that a finger on it,
// a line under way or a word half typed outlives everything that is drawn around it.

const ASK_AFTER_MS = 2500
const ZOOM_STEP = 1.25
const PAN_STEP = 60
const PICTURE_KEYS = [["+ −", "larger, smaller (or the wheel, or two fingers)"], ["Z", "fit the width, then the whole page"], ["[ ]", "turn left, right"],
  ["PageUp PageDown", "page before, next page"], ["L", "hold for a loupe"], ["V P K X O T E", "move, pen, tick, cross, circle, text, rub out"],
  ["Ctrl+Z", "take back what you drew last"], ["H", "hide what others drew"]]

// Called while the desk still knows the response that is leaving, so that what is half drawn is saved for that one.
function leaveResponse(desk, next) {
  if (desk.viewer && (desk.viewer.responseId !== next.responseId || !next.pages.length)) closeViewer(desk)
}

function viewerFor(desk) {
  const { data } = desk
  if (data.responseId === null || !data.pages.length) return null
  const viewer = desk.viewer || openViewer(desk)
  viewer.index = Math.min(viewer.index, data.pages.length - 1)
  showPicture(desk)
  return viewer
}

function openViewer(desk) {
  const { data } = desk
  const sheet = element("div", { className: "sheet" })
  const picture = element("img", { alt: "", draggable: "false" })
  const ink = svgElement("svg", { class: "ink" })
  sheet.append(picture, ink)
  const wait = element("p", { className: "wait", role: "status" })
  const stage = element("div", { className: "stage", tabindex: "0", role: "group" }, sheet, wait)
  const viewer = {
    responseId: data.responseId, index: 0, fit: "width", view: { scale: 1, x: 0, y: 0, turn: 0 },
    stage, sheet, picture, ink, wait, pointers: new Map(), pointer: null,
    columns: element("div", { className: "columns pictured" }), card: element("section", { className: "card" }),
  }
  desk.viewer = viewer
  viewer.bar = drawToolbar(desk)
  viewer.others = element("span", { className: "others" })
  viewer.saveState = element("span", { className: "save-state muted", role: "status" })
  // Under the stage, where a word that comes and goes moves nothing that a pointer is aimed at.
  viewer.node = element("div", { className: "viewer" }, viewer.bar, stage, element("p", { className: "under" }, viewer.saveState, viewer.others))
  viewer.transcript = openTranscript(desk)
  listenToPointers(desk)
  viewer.observer = new ResizeObserver(() => fitAgain(desk))
  viewer.observer.observe(stage)
  turnPage(desk, 0)
  return viewer
}

function closeViewer(desk) {
  endInk(desk)
  commitText(desk)
  clearTimeout(desk.viewer.asking)
  desk.viewer.observer.disconnect()
  desk.viewer = null
  sendNext(desk)
}

function pageOf(desk) {
  return desk.data.pages[desk.viewer.index]
}

function turnPage(desk, index) {
  const { viewer, data } = desk
  if (index < 0 || index >= data.pages.length) return
  endInk(desk)
  commitText(desk)
  viewer.index = index
  viewer.view = { ...viewer.view, turn: turnOf(desk) }
  viewer.fit = "width"
  showPicture(desk)
  fitAgain(desk)
}

function turnOf(desk) {
  desk.turns ??= new Map()
  return desk.turns.get(pageOf(desk).sha) || 0
}

function showPicture(desk) {
  const { viewer, data } = desk
  const page = pageOf(desk)
  const found = pictureOf(page.sha)
  const url = found ? found.url : null
  if (viewer.picture.getAttribute("src") !== url) {
    if (url) viewer.picture.setAttribute("src", url)
    else viewer.picture.removeAttribute("src")
  }
  viewer.wait.textContent = found ? found.error : "The picture is on its way …"
  viewer.wait.hidden = Boolean(found && found.url)
  viewer.stage.dataset.sha = url ? page.sha : ""
  viewer.stage.setAttribute("aria-label", `Page ${viewer.index + 1} of ${data.pages.length} of the answer of candidate ${data.candidate}`)
  Object.assign(viewer.sheet.style, { width: `${page.width}px`, height: `${page.height}px` })
  drawInk(desk)
  refreshToolbar(desk)
  askFor(desk, found ? null : page.sha)
}

// A picture that the server sent may have been lost on the way; it is asked for again until it is here.
function askFor(desk, sha) {
  const { viewer } = desk
  if (viewer.asked === sha) return
  clearInterval(viewer.asking)
  viewer.asked = sha
  if (sha) viewer.asking = setInterval(() => desk.root.isConnected && desk.sendLacking({ shas: [sha], at: Date.now() }), ASK_AFTER_MS)
}

function stageSize(viewer) {
  return { width: viewer.stage.clientWidth, height: viewer.stage.clientHeight }
}

// The stage is as high as its page at full width, within what CSS allows.
function fitAgain(desk) {
  const { viewer } = desk
  const page = pageOf(desk)
  const [width, height] = turned(viewer.view, page)
  viewer.stage.style.aspectRatio = `${width} / ${height}`
  const stage = stageSize(viewer)
  if (!stage.width || !stage.height) return
  setView(desk, viewer.fit ? fitted(viewer.view, page, stage, viewer.fit) : settled(viewer.view, page, stage))
}

function setView(desk, view) {
  const { viewer } = desk
  viewer.view = view
  viewer.sheet.style.transform = transform(view)
  viewer.stage.dataset.view = JSON.stringify(view)
  const box = bounds(view, pageOf(desk))
  const whole = box.width <= viewer.stage.clientWidth + 1 && box.height <= viewer.stage.clientHeight + 1
  // A page that is all in view leaves an upward swipe to the screen, so that a phone can scroll past it.
  viewer.stage.style.touchAction = whole && tool(desk) === "move" && !desk.loupe ? "pan-y" : "none"
  drawLoupe(desk)
  placeTextBox(desk)
}

function fitTo(desk, how) {
  desk.viewer.fit = how
  fitAgain(desk)
}

function zoom(desk, factor, at) {
  const { viewer } = desk
  const stage = stageSize(viewer)
  viewer.fit = null
  setView(desk, zoomed(viewer.view, factor, at || [stage.width / 2, stage.height / 2], pageOf(desk), stage))
}

function pan(desk, dx, dy) {
  const { viewer } = desk
  const { view } = viewer
  viewer.fit = null
  setView(desk, settled({ ...view, x: view.x + dx, y: view.y + dy }, pageOf(desk), stageSize(viewer)))
}

function rotate(desk, by) {
  const { viewer } = desk
  commitText(desk)
  const turn = (viewer.view.turn + by + 360) % 360
  desk.turns.set(pageOf(desk).sha, turn)
  viewer.view = { ...viewer.view, turn }
  viewer.fit = viewer.fit || "width"
  fitAgain(desk)
}

// Keys for the pictures; the digits and the letters of marking stay what they are.
function viewerKey(desk, key) {
  const { viewer, data } = desk
  const several = data.pages.length > 1
  switch (key) {
    case "+": case "=": return (zoom(desk, ZOOM_STEP), true)
    case "-": case "_": return (zoom(desk, 1 / ZOOM_STEP), true)
    case "[": return (rotate(desk, -90), true)
    case "]": return (rotate(desk, 90), true)
    case "PageDown": return several && (turnPage(desk, viewer.index + 1), true)
    case "PageUp": return several && (turnPage(desk, viewer.index - 1), true)
    case "ArrowUp": return overStage(desk) && (pan(desk, 0, PAN_STEP), true)
    case "ArrowDown": return overStage(desk) && (pan(desk, 0, -PAN_STEP), true)
  }
  switch (key.toLowerCase()) {
    case "z": return (fitTo(desk, viewer.fit === "width" ? "page" : "width"), true)
    case "l": return (holdLoupe(desk, true), true)
    case "h": return (hideOthers(desk), true)
  }
  return toolKey(desk, key.toLowerCase())
}

function overStage(desk) {
  return desk.root.getRootNode().activeElement === desk.viewer.stage
}
