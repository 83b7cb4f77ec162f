/**
 * Reads the small files of messages in the background, so that search finds their text (docs/decisions/0070). It reads one file
 * at a time in each process, in a thread of its own, and mail comes first.
 */
import { SECOND } from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { MailLoad } from "../inbound/MailLoad.js"
import { drainRounds, makeSupervisor, restingRound } from "../workers/supervisor.js"
import { AttachmentTexts } from "./AttachmentTexts.js"

/** Milliseconds between two looks for a file while there is none. */
const POLL = 5 * SECOND

export class AttachmentReading extends Context.Tag("@mailroom/AttachmentReading")<
  AttachmentReading,
  {
    /** Reads every file that waits. */
    readonly drain: Effect.Effect<void>
    readonly run: Effect.Effect<never>
  }
>() {
  static readonly layer = Layer.effect(
    AttachmentReading,
    Effect.gen(function* () {
      const { readWaiting } = yield* AttachmentTexts
      const { isBusy } = yield* MailLoad
      const supervisor = makeSupervisor("files")

      const readSome = Effect.map(readWaiting, (files) => files > 0)

      return {
        drain: Effect.asVoid(drainRounds(readWaiting)),
        run: supervisor.loop(restingRound(readSome, POLL, isBusy)),
      }
    }),
  )
}
