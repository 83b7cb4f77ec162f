/** An end that comes into sight: of a text inside of its own scroller, or of a card. */
import type { JSX } from "preact"
import { useEffect, useRef } from "preact/hooks"

export const SeenMark = ({ onSeen }: { onSeen: () => void }): JSX.Element => {
  const mark = useRef<HTMLSpanElement>(null)
  const latest = useRef(onSeen)
  latest.current = onSeen
  useEffect(() => {
    const element = mark.current
    if (element === null) return undefined
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      observer.disconnect()
      latest.current()
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return <span class="seen-mark" ref={mark} aria-hidden="true" />
}
