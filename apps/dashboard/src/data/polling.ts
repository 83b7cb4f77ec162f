/** Looks again and again at what has no events, while the page is shown. */
import { useEffect, useRef } from "preact/hooks"

/**
 * Calls `look` every `every` milliseconds while `isWanted` and the tab is visible. It is not wanted while something is loaded that
 * `look` loads again, or a slow network would never show it.
 */
export const usePolling = (isWanted: boolean, every: number, look: () => void): void => {
  const latest = useRef(look)
  latest.current = look
  useEffect(() => {
    if (!isWanted) return undefined
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") latest.current()
    }, every)
    return () => clearInterval(timer)
  }, [isWanted, every])
}
