/**
 * The child's side of a benchmark process: it takes one message with its settings, and answers with one message.
 * A child never outlives its parent.
 */
import { Schema } from "effect"

const answer = (message: unknown): Promise<void> =>
  new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve()))

const withSettings = <A, I>(settings: Schema.Schema<A, I>, work: (settings: A) => Promise<void>): void => {
  process.once("message", (message) => {
    work(Schema.decodeUnknownSync(settings)(message)).catch((error: unknown) => {
      console.error(error)
      process.exit(1)
    })
  })
}

/** Does its work, answers with the outcome and ends. */
export const task = <A, I>(settings: Schema.Schema<A, I>, work: (settings: A) => Promise<unknown>): void =>
  withSettings(settings, async (given) => {
    await answer(await work(given))
    process.disconnect()
  })

/** Listens, answers with its port and serves until it is stopped. */
export const service = <A, I>(
  settings: Schema.Schema<A, I>,
  listen: (settings: A) => Promise<{ readonly port: number }>,
): void => {
  process.once("disconnect", () => process.exit(0))
  withSettings(settings, async (given) => answer(await listen(given)))
}
