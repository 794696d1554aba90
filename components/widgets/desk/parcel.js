// Brings pictures: a line of JSON that names them, then their bytes one after another. Shows nothing.

export default function (component) {
  const bytes = component.data
  if (!(bytes instanceof Uint8Array)) return
  const end = bytes.indexOf(10)
  let at = end + 1
  for (const { sha, mime, size, error } of JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)))) {
    if (!PICTURES.has(sha) || PICTURES.get(sha).error) {
      PICTURES.delete(sha)
      const blob = size ? new Blob([bytes.slice(at, at + size)], { type: mime }) : null
      keepPicture(sha, { url: blob && URL.createObjectURL(blob), error })
    }
    at += size
  }
}
