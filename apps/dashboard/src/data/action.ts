/** Something that a person does: it runs once at a time, and its failure is kept for the page to show. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks"

export interface Action<Input extends ReadonlyArray<unknown>> {
  /** does nothing while it runs */
  readonly run: (...input: Input) => void
  readonly isRunning: boolean
  /** why the last run failed; undefined after a success and while it runs */
  readonly error: unknown
}

export const useAction = <Input extends ReadonlyArray<unknown>>(
  act: (...input: Input) => Promise<unknown>,
): Action<Input> => {
  const [state, setState] = useState<{ readonly isRunning: boolean; readonly error: unknown }>({
    isRunning: false,
    error: undefined,
  })
  const latest = useRef(act)
  latest.current = act
  const running = useRef(false)
  const isThere = useRef(true)
  useEffect(() => {
    isThere.current = true
    return () => {
      isThere.current = false
    }
  }, [])
  const run = useCallback((...input: Input) => {
    if (running.current) return
    running.current = true
    setState({ isRunning: true, error: undefined })
    const end = (error: unknown) => {
      running.current = false
      if (isThere.current) setState({ isRunning: false, error })
    }
    latest.current(...input).then(() => end(undefined), end)
  }, [])
  return { run, ...state }
}
