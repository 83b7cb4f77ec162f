/** Finds an attachment that a caller may see. */
import {
  type AttachmentId,
  type AttachmentRecord,
  inScope,
  NotFound,
  type OverInboundLimit,
  type Principal,
} from "@mailroom/domain"
import { Effect } from "effect"
import type { Messages } from "../messages/Messages.js"
import type { AttachmentStore, AttachmentWithGate } from "../ports/stores/AttachmentStore.js"

/** `NotFound` for an attachment of another account, out of scope, or of a quarantined message. It may be gated. */
export const findAttachment = (attachments: typeof AttachmentStore.Service) =>
  Effect.fnUntraced(function* (
    { account, scope }: Principal,
    id: AttachmentId,
  ): Effect.fn.Return<AttachmentWithGate, NotFound> {
    const missing = new NotFound({ resource: "attachment" })
    const [found] = yield* attachments.byIds(account.id, [id])
    if (found === undefined) return yield* missing
    const { mailboxId } = found.attachment
    // An upload that was not sent yet belongs to no mailbox: only keys with full access see it.
    const visible = scope === null || (mailboxId !== null && inScope(scope, mailboxId))
    // A gate comes first: what it hides may be quarantined or not.
    const isHidden = found.isQuarantined && found.gate === null
    return visible && !isHidden ? found : yield* missing
  })

/** As `findAttachment`, but fails for the attachment of a gated message. */
export const visibleAttachment = (
  attachments: typeof AttachmentStore.Service,
  messages: typeof Messages.Service,
) => {
  const find = findAttachment(attachments)
  return (
    principal: Principal,
    id: AttachmentId,
  ): Effect.Effect<AttachmentRecord, NotFound | OverInboundLimit> =>
    Effect.flatMap(find(principal, id), ({ attachment, gate }) =>
      gate === null
        ? Effect.succeed(attachment)
        : messages.overLimit(principal, gate, { type: "attachment", id }),
    )
}
