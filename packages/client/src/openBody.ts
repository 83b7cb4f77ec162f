/** Responses whose body is still open when their call ends. */

/**
 * A stream that calls `onEnd` when it has ended, has failed or is cancelled, and fails with `failureOf` the error. Reads no chunk ahead of
 * its reader.
 */
const endingWith = (
  body: ReadableStream<Uint8Array>,
  onEnd: () => void,
  failureOf: (error: unknown) => unknown,
): ReadableStream<Uint8Array> => {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          controller.close()
          onEnd()
        } catch (error) {
          onEnd()
          throw failureOf(error)
        }
      },
      cancel: (reason) => {
        onEnd()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

/**
 * The response, which calls `onEnd` when its body is no longer open: at once when it has none. A read of the body that fails does so with
 * `failureOf` its error.
 */
export const withOpenBody = (
  response: Response,
  onEnd: () => void,
  failureOf: (error: unknown) => unknown,
): Response => {
  const { body, url } = response
  if (body === null) {
    onEnd()
    return response
  }
  const open = new Response(endingWith(body, onEnd, failureOf), response)
  // A response that a program makes has no URL.
  return Object.defineProperty(open, "url", { value: url })
}
