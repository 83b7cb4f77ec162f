/** Loading: a value of the service, shown from memory at once when it was loaded before, and then fresh. */
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks"

export interface Resource<T> {
  /** undefined until it has been loaded once; stays while it is loaded again */
  readonly data: T | undefined
  /** why the last attempt failed; undefined after a success */
  readonly error: unknown
  readonly isLoading: boolean
  /** loads again, such as after a change */
  readonly reload: () => void
  /** the same, and waits until it is loaded or has failed */
  readonly refresh: () => Promise<void>
  /** shows another value, such as the answer to a change */
  readonly set: (data: T) => void
}

/** Loads a value. Its result has the values that were loaded by it, by key. */
export interface Loader<T> {
  readonly load: (key: string, signal: AbortSignal) => Promise<T>
  readonly kept: Map<string, T>
}

const memories = new Set<Map<string, unknown>>()

/** Forgets all values, because they are of a session that ended. */
export const forgetLoaded = (): void => {
  for (const memory of memories) memory.clear()
}

/**
 * Makes a loader, at the top of a module: `const mailbox = loader((id, signal) => mailroom.mailboxes.get(id, { signal }))`. It
 * keeps what it has loaded for the next visit.
 */
export const loader = <T>(load: (key: string, signal: AbortSignal) => Promise<T>): Loader<T> => {
  const kept = new Map<string, T>()
  memories.add(kept)
  return { load, kept }
}

interface State<T> {
  readonly key: string
  readonly data: T | undefined
  readonly error: unknown
  readonly isLoading: boolean
}

/** The value of a key. It is loaded when the component appears and when the key changes; leaving ends the request. */
export const useResource = <T>({ load, kept }: Loader<T>, key = ""): Resource<T> => {
  const fresh = (): State<T> => ({ key, data: kept.get(key), error: undefined, isLoading: true })
  const [stored, setState] = useState<State<T>>(fresh)
  const state = stored.key === key ? stored : fresh()
  const running = useRef<AbortController | null>(null)
  const shownKey = useRef(key)
  shownKey.current = key

  const refresh = useCallback(() => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    const update = (change: Partial<State<T>>) =>
      setState((before) => ({ ...(before.key === key ? before : fresh()), ...change, isLoading: false }))
    setState((before) => (before.key === key ? { ...before, isLoading: true } : fresh()))
    const show = async () => {
      try {
        const data = await load(key, controller.signal)
        if (!controller.signal.aborted) {
          kept.set(key, data)
          update({ data, error: undefined })
        }
      } catch (error) {
        if (!controller.signal.aborted) update({ error })
      }
      if (running.current === controller) running.current = null
    }
    return show()
  }, [load, kept, key])

  useLayoutEffect(() => {
    void refresh()
    return () => running.current?.abort()
  }, [refresh])

  const set = useCallback(
    (data: T) => {
      kept.set(key, data)
      if (shownKey.current !== key) return
      setState({ key, data, error: undefined, isLoading: false })
      // What is being loaded may be from before the change.
      if (running.current !== null) void refresh()
    },
    [kept, key, refresh],
  )
  return { ...state, reload: refresh, refresh, set }
}
