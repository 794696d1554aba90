// Pictures in the browser's memory, by the SHA-256 of their stored bytes, until the page is reloaded. Two components
// share them, the one that brings them and the desk that shows them, so they hang on the window.

const PICTURES = (globalThis.secondMarkerPictures ??= new Map())
const MOST_PICTURES = 150
const ARRIVED = "second-marker-picture"

function keepPicture(sha, picture) {
  if (PICTURES.has(sha)) URL.revokeObjectURL(picture.url)
  else PICTURES.set(sha, picture)
  document.dispatchEvent(new Event(ARRIVED))
}

// The longest unused make room; what is wanted again is asked for again.
function pictureOf(sha) {
  const found = PICTURES.get(sha)
  if (!found) return null
  PICTURES.delete(sha)
  PICTURES.set(sha, found)
  for (const [old, picture] of PICTURES) {
    if (PICTURES.size <= MOST_PICTURES) break
    if (picture.url) URL.revokeObjectURL(picture.url)
    PICTURES.delete(old)
  }
  return found
}
