/** A call that is running: a promise of its result, which also gives the response. */

export interface WithResponse<T> {
  readonly data: T
  /** status and header fields; the body has been read, unless it is the result */
  readonly response: Response
  /** `X-Request-Id` of the response, if a proxy in front of the service sets one */
  readonly requestId: string | undefined
}

export interface Call<T> extends Promise<T> {
  /** The result with the response that it came with. */
  withResponse(): Promise<WithResponse<T>>
}

export const callOf = <T>(answer: Promise<WithResponse<T>>): Call<T> => {
  const result = answer.then(({ data }) => data)
  return Object.assign(result, {
    withResponse: () => {
      // Its caller sees the failure in `answer`; `result` may have no reader.
      result.catch(() => undefined)
      return answer
    },
  })
}
