/** Times, sizes and numbers. */
import { signal } from "@preact/signals"
import type { JSX } from "preact"
import { bytesText, fullTime, numberText, shortTime } from "../rules/texts.js"

/** The present minute: what is shown as "2 minutes ago" goes on with it. */
const minute = signal(Date.now())

setInterval(() => (minute.value = Date.now()), 30_000)

/** A time in the reader's zone, with the full date as tooltip. `at` is ISO 8601, as the service writes it. */
export const Time = ({ at }: { at: string }): JSX.Element => {
  const time = new Date(at)
  return (
    <time dateTime={at} title={fullTime(time)}>
      {shortTime(time, new Date(Math.max(minute.value, Date.now())))}
    </time>
  )
}

export const Bytes = ({ value }: { value: number }): JSX.Element => (
  <span title={`${numberText(value)} bytes`}>{bytesText(value)}</span>
)
