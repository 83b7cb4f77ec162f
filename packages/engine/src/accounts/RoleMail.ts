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
import type { PassOnSpec } from "../ports/stores/JobStore.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { SystemMail } from "../sending/SystemMail.js"
import { UnitOfWork } from "../UnitOfWork.js"

export class RoleMail extends Context.Tag("@mailroom/RoleMail")<
  RoleMail,
  {
    /** Forwards the mail and then discards it. Only discards it when the role address has no reader any more. */
    readonly passOn: (
      spec: PassOnSpec,
    ) => Effect.Effect<void, RelayRefused | RelayUnavailable | RelayUncertain>
    /** Removes the raw mail unless a message uses it too. For a mail that was forwarded, or that is given up. */
    readonly discard: (spec: PassOnSpec) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    RoleMail,
    Effect.gen(function* () {
      const rawMails = yield* RawMailStore
      const blobs = yield* Blobs
      const roles = yield* RoleAddresses
      const systemMail = yield* SystemMail
      const { commit } = yield* UnitOfWork
      const removal = yield* MailRemoval
      const { platformDomain } = yield* Settings

      const discard = ({ rawId }: PassOnSpec) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          commit(removal.discard([{ queued: { raw: { id: rawId } }, files: [] }], now)),
        )

      return {
        discard,
        passOn: Effect.fn("RoleMail.passOn")(function* (spec) {
          const role = roleAddress(spec.to, platformDomain)
          const raw = yield* rawMails.byId(spec.rawId)
          const reader = role === null ? Option.none() : yield* roles.readerOf(role)
          if (role !== null && Option.isSome(raw) && Option.isSome(reader)) {
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
          }
          yield* discard(spec)
        }),
      }
    }),
  )
}
