/** Uploads that tell how far they are, which `fetch` cannot. */
import { Mailroom, type UploadedAttachment } from "@mailroom/client"

/** From 0 to 1. */
type Progress = (share: number) => void

const headersOf = (lines: string): Headers => {
  const headers = new Headers()
  for (const line of lines.trim().split(/\r?\n/)) {
    const colon = line.indexOf(":")
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  return headers
}

/** As `fetch`, for requests whose body is a Blob. */
const sendWithProgress =
  (onProgress: Progress) =>
  (url: string, { method = "POST", headers, body, signal }: RequestInit): Promise<Response> =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.open(method, url)
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value)
      request.upload.addEventListener("progress", ({ loaded, total }) => {
        if (total > 0) onProgress(loaded / total)
      })
      request.addEventListener("load", () => {
        const { status, response } = request
        resolve(new Response(response, { status, headers: headersOf(request.getAllResponseHeaders()) }))
      })
      request.addEventListener("error", () => reject(new TypeError("The upload failed")))
      request.addEventListener("abort", () => reject(signal?.reason))
      signal?.addEventListener("abort", () => request.abort())
      request.send(body instanceof Blob ? body : null)
    })

/** Milliseconds for a file of 25 MB on a slow line. */
const UPLOAD_TIMEOUT = 15 * 60_000

/** Uploads a file; the result is its id with what the service says of it. */
export const uploadFile = (
  file: File,
  signal: AbortSignal,
  onProgress: Progress,
): Promise<UploadedAttachment> => {
  const client = new Mailroom({
    baseUrl: globalThis.location.origin,
    fetch: sendWithProgress(onProgress),
    timeout: UPLOAD_TIMEOUT,
  })
  return client.attachments.upload(file, { signal })
}
