/** Forwards mail for `postmaster@` and `abuse@` to the operator, or to the owner of the domain (docs/decisions/0056). */
import {
  isEmailAddress,
  PASSED_ON_MAX_BYTES,
  PASSED_ON_START_BYTES,
  passedOnMail,
  type RelayRefused,
  type RelayUnavailable,
  type RelayUncertain,
  roleAddress,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { MailRemoval } from "../inbound/MailRemoval.js"
import { readRawStart, sizeOf } from "../inbound/rawContent.js"
import { RoleAddresses } from "../inbound/RoleAddresses.js"
import { Blobs } from "../ports/Blobs.js"
import { Settings } from "../ports/Settings.js"
import { JobStore, type PassOnSpec } from "../ports/stores/JobStore.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { SystemMail } from "../sending/SystemMail.js"
import { UnitOfWork } from "../UnitOfWork.js"

export class RoleMail extends Context.Tag("@mailroom/RoleMail")<
  RoleMail,
  {
    /** Forwards the mail. Does nothing when the role address has no reader any more. */
    readonly passOn: (
      spec: PassOnSpec,
    ) => Effect.Effect<void, RelayRefused | RelayUnavailable | RelayUncertain>
    /** Ends a job whose mail was forwarded or is given up: removes it, and the raw mail unless something else uses it too. */
    readonly end: (jobId: string, spec: PassOnSpec) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    RoleMail,
    Effect.gen(function* () {
      const jobs = yield* JobStore
      const rawMails = yield* RawMailStore
      const blobs = yield* Blobs
      const roles = yield* RoleAddresses
      const systemMail = yield* SystemMail
      const { commit } = yield* UnitOfWork
      const removal = yield* MailRemoval
      const { platformDomain } = yield* Settings

      return {
        end: (jobId, { rawId }) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            commit(
              Effect.zipRight(
                jobs.done(jobId),
                removal.discard([{ queued: { raw: { id: rawId } }, files: [] }], now),
              ),
            ),
          ),
        passOn: Effect.fn("RoleMail.passOn")(function* (spec) {
          const role = roleAddress(spec.to, platformDomain)
          const raw = yield* rawMails.byId(spec.rawId)
          const reader = role === null ? Option.none() : yield* roles.readerOf(role)
          if (role === null || Option.isNone(reader)) return
          if (Option.isNone(raw))
            return yield* Effect.logError(
              `The mail ${spec.rawId} for ${role.address} is gone: nobody reads it`,
            )
          const { content } = raw.value
          const isWhole = sizeOf(content) <= PASSED_ON_MAX_BYTES
          const max = isWhole ? PASSED_ON_MAX_BYTES : PASSED_ON_START_BYTES
          yield* systemMail.send({
            to: reader.value,
            replyTo: isEmailAddress(spec.author) ? spec.author : null,
            ...passedOnMail(role.address, spec.subject, isWhole),
            attachments: [
              {
                filename: "mail.eml",
                // RFC 2046 §5.2.1 allows no base64 for message/rfc822, and our attachments are always base64.
                contentType: "application/octet-stream",
                contentId: null,
                bytes: yield* readRawStart(blobs, content, max),
              },
            ],
          })
        }),
      }
    }),
  )
}
