// What the desk shows and does beside the usual when a head of department settles what others gave.

// Both marks: the AI's stands in the headline, the teachers' here, each with what was said for it.
function drawGiven(desk) {
  const { review } = desk.data
  return element("div", { className: "given" },
    ...review.given.map(each => element("div", { className: "giver", dataset: { decision: each.decisionId } },
      element("div", { className: "headline" },
        element("p", {}, element("span", { className: "muted", text: `${each.name} ` }),
          element("strong", { className: "mark", text: each.mark }),
          element("span", { className: "muted", text: ` ${each.how}` })),
        drawTake(desk, each.take, each.decisionId === review.teachers ? "T" : "", () => act(desk, "take", { decision_id: each.decisionId }))),
      each.points && element("p", { className: "muted", text: each.points }),
      each.comment && element("p", { className: "said", text: each.comment }))),
    ...review.grades.map(text => element("p", { className: "flag", text })),
    review.flag && element("p", { className: "flag", text: `⚑ ${review.flag}` }),
    review.stands && !desk.data.notice.includes(review.stands) && element("p", { className: "stands", text: review.stands }))
}

function drawTake(desk, label, key, onClick) {
  return desk.data.review.readOnly ? null : button(label, "Decide for this mark", onClick, key, "take")
}

function drawReviewActions(desk) {
  const { data } = desk
  return [
    button("No response", "The candidate gave no response: a state of its own, not 0", () => act(desk, "no_response"), "N"),
    data.flagged && button("Settle flag", "Settle the flag alone, with the reason below; the marks stand as they are", () => settleFlag(desk), "F"),
    data.undo && button(data.undo.label, "Undo this adjudication of yours, or your last in this exam", () => undo(desk), "U"),
  ]
}

const LOOKS = ["ArrowLeft", "ArrowRight", "Escape", "w", "W", "?"]

// Whether the key is done with here; the desk's own keys come after.
function reviewKey(desk, key) {
  const { review, responseId } = desk.data
  if (review.readOnly) {
    if (LOOKS.includes(key) || (desk.viewer && !/^[0-9.atfnu]$/i.test(key))) return false
    if (/^([0-9.atfnu]|Enter)$/i.test(key)) return (say(desk, READ_ONLY), true)
    return false
  }
  if (responseId === null) return false
  switch (key.toLowerCase()) {
    case "a": case "t": return (take(desk, key.toLowerCase()), true)
    case "f": return (settleFlag(desk), true)
  }
  return false
}

const READ_ONLY = "You may look; a head of department adjudicates."

function take(desk, whose) {
  const { review, proposal } = desk.data
  if (review.hidden) return say(desk, "The other marks are hidden until you have decided. Give a mark of your own.")
  if (whose === "a") {
    if (proposal && proposal.mark !== null) return act(desk, "accept")
    return say(desk, "The AI has no mark to take here. Give one.")
  }
  if (review.teachers === null) return say(desk, "No teacher's mark stands here. Give one.")
  act(desk, "take", { decision_id: review.teachers })
}

function settleFlag(desk) {
  if (!desk.data.flagged) return say(desk, "There is no flag to settle here.")
  if (!draftOf(desk)) {
    say(desk, "Write in the reason what came of the flag, then settle it.")
    return desk.root.querySelector("textarea.comment")?.focus()
  }
  act(desk, "settle_flag")
}

const REVIEW_KEYS = [["0–9", "give that mark; two digits for 10 and more"], ["A", "take the AI's mark"], ["T", "take the teacher's mark"],
  ["Enter", "confirm a typed mark or your ticks"], ["N", "no response"], ["F", "settle the flag, with a reason"], ["U", "undo your adjudication"],
  ["← →", "previous, next"], ["W", "reasons open or closed"], ["Ctrl+Enter", "save the reason as a comment alone"], ["?", "this list"]]

// T takes the teacher's mark here, also beside a picture.
function pictureKeysInReview() {
  return PICTURE_KEYS.map(([keys, what]) => keys.includes("V P K") ? ["V P K X O E", "move, pen, tick, cross, circle, rub out"] : [keys, what])
}
