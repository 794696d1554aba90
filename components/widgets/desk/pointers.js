// Mouse, pen and touch on the stage: one pointer draws or moves the page, two fingers move and scale it, a wheel scales.

const WHEEL_PER_STEP = 400

function listenToPointers(desk) {
  const { stage } = desk.viewer
  const { viewer } = desk
  const at = event => {
    const box = stage.getBoundingClientRect()
    return [event.clientX - box.left - stage.clientLeft, event.clientY - box.top - stage.clientTop]
  }
  const alive = handler => event => desk.viewer === viewer && handler(event)
  stage.addEventListener("pointerdown", alive(event => pointerDown(desk, event, at(event))))
  stage.addEventListener("pointermove", alive(event => pointerMove(desk, event, at)))
  stage.addEventListener("pointerup", alive(event => pointerUp(desk, event, at(event))))
  stage.addEventListener("pointercancel", alive(event => pointerGone(desk, event)))
  stage.addEventListener("pointerleave", alive(event => {
    if (viewer.pointers.size) return
    viewer.pointer = null
    drawLoupe(desk)
  }))
  stage.addEventListener("wheel", alive(event => {
    event.preventDefault()
    const pixels = event.deltaMode === 1 ? event.deltaY * 30 : event.deltaY
    zoom(desk, 2 ** (-Math.max(-240, Math.min(240, pixels)) * (event.ctrlKey ? 4 : 1) / WHEEL_PER_STEP), at(event))
  }), { passive: false })
}

function pointerDown(desk, event, place) {
  const { viewer } = desk
  if (event.target.closest("input, button") || event.button > 1) return
  event.preventDefault()
  if (commitText(desk)) return
  viewer.stage.focus({ preventScroll: true })
  viewer.stage.setPointerCapture(event.pointerId)
  viewer.pointers.set(event.pointerId, place)
  viewer.pointer = place
  if (event.pointerType === "pen") desk.penSeen = true
  if (viewer.pointers.size > 1) {
    cancelInk(desk)
    viewer.gesture = "pinch"
    return
  }
  // Who writes with a pen rests a hand on the glass: touch then only moves the page.
  const palm = desk.penSeen && event.pointerType === "touch"
  const draws = tool(desk) !== "move" && event.button === 0 && !palm
  viewer.gesture = draws ? "draw" : desk.loupe ? "look" : "pan"
  if (draws) beginInk(desk, place)
  drawLoupe(desk)
}

function pointerMove(desk, event, at) {
  const { viewer } = desk
  const place = at(event)
  viewer.pointer = place
  const before = viewer.pointers.get(event.pointerId)
  if (before) {
    if (viewer.gesture === "pinch") pinch(desk, event.pointerId, place)
    else if (viewer.gesture === "draw") for (const each of between(event)) moveInk(desk, at(each))
    else if (viewer.gesture === "pan") pan(desk, place[0] - before[0], place[1] - before[1])
    viewer.pointers.set(event.pointerId, place)
  }
  drawLoupe(desk)
}

// Every place that the pointer was at since the last event, so that a quick line is as round as it was drawn.
function between(event) {
  const all = event.getCoalescedEvents ? event.getCoalescedEvents() : []
  return all.length ? all : [event]
}

function pinch(desk, id, place) {
  const { viewer } = desk
  const other = [...viewer.pointers].find(([each]) => each !== id)
  if (!other) return
  const [from, fixed] = [viewer.pointers.get(id), other[1]]
  const distance = point => Math.hypot(point[0] - fixed[0], point[1] - fixed[1])
  const middle = point => [(point[0] + fixed[0]) / 2, (point[1] + fixed[1]) / 2]
  const [was, now] = [middle(from), middle(place)]
  pan(desk, now[0] - was[0], now[1] - was[1])
  if (distance(from) > 8) zoom(desk, distance(place) / distance(from), now)
}

function pointerUp(desk, event, place) {
  const { viewer } = desk
  if (!viewer.pointers.delete(event.pointerId)) return
  if (viewer.gesture === "draw") endInk(desk, place)
  if (!viewer.pointers.size) viewer.gesture = null
  if (event.pointerType === "touch") viewer.pointer = null
  drawLoupe(desk)
}

function pointerGone(desk, event) {
  const { viewer } = desk
  viewer.pointers.delete(event.pointerId)
  cancelInk(desk)
  if (!viewer.pointers.size) viewer.gesture = null
  viewer.pointer = null
  drawLoupe(desk)
}
