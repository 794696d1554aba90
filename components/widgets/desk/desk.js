// The marking desk: answer, proposal, row of marks, keys. Everything it sends names the response that is on screen.
// Text of candidates and judges only ever becomes text nodes.

const desks = new WeakMap()
const RESEND_MS = 4000
const AFTER_CHOICE_MS = 100
const LOST_AFTER_MS = 10 * 60 * 1000
const LOOK_AGAIN_MS = 2000
const UNSENT = "second-marker-unsent"

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const root = parentElement.querySelector(".desk")
  let desk = desks.get(root)
  if (!desk) {
    desk = { root, pending: null, typed: "", shownAt: 0, shownId: null, armed: false, whyOpen: false }
    desk.onKey = event => onKey(desk, event)
    desk.onRelease = event => desk.viewer && releaseLoupe(desk, event)
    desk.onPicture = () => desk.viewer && showPicture(desk)
    desk.onClick = event => event.target.closest("[role=option], [role=radio]") && setTimeout(leaveToolbar, AFTER_CHOICE_MS)
    document.addEventListener("keydown", desk.onKey)
    document.addEventListener("click", desk.onClick, true)
    document.addEventListener("keyup", desk.onRelease)
    window.addEventListener("blur", desk.onRelease)
    document.addEventListener(ARRIVED, desk.onPicture)
    desks.set(root, desk)
  }
  desk.send = payload => setTriggerValue("action", payload)
  desk.sendSave = payload => setTriggerValue("save", payload)
  desk.sendLacking = payload => setTriggerValue("lacking", payload)
  if (desk.pending && data.ack === desk.pending.action_id) settle(desk, data)
  if (data.responseId !== desk.shownId) {
    desk.shownId = data.responseId
    desk.shownAt = performance.now()
    desk.typed = ""
  }
  const offered = `${data.responseId} ${data.phase} ${data.proposal ? data.proposal.id : ""}`
  if (offered !== desk.offered) {
    desk.offered = offered
    desk.armed = false
  }
  leaveResponse(desk, data)
  desk.data = data
  openOutbox(desk)
  settleSaves(desk, data)
  draw(desk)
  arm(desk)
  clearInterval(desk.lookAgain)
  if (data.awaiting) desk.lookAgain = setInterval(() => desk.root.isConnected && desk.sendLacking({ shas: [], at: Date.now() }), LOOK_AGAIN_MS)
  if (!desk.pending) resumeUnsent(desk)
  return () => {
    document.removeEventListener("keydown", desk.onKey)
    document.removeEventListener("click", desk.onClick, true)
    document.removeEventListener("keyup", desk.onRelease)
    window.removeEventListener("blur", desk.onRelease)
    document.removeEventListener(ARRIVED, desk.onPicture)
    if (desk.viewer) closeViewer(desk)
    clearInterval(desk.resend)
    clearInterval(desk.saveAgain)
    clearInterval(desk.lookAgain)
    desks.delete(root)
  }
}
