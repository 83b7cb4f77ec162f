/** Drafts as resources, with the sender that their mails have now (spec: drafts.from). */
import { type Draft, type DraftMailbox, type DraftRecord, NotFound, viewDraft } from "@mailroom/domain"
import { Context, Effect, Layer, Option } from "effect"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import type { DraftPage } from "../ports/stores/DraftStore.js"
import { DraftKeeper } from "./DraftKeeper.js"

/** A draft in a list. */
type Item = Draft & { readonly truncated?: true }

export class DraftViews extends Context.Tag("@mailroom/DraftViews")<
  DraftViews,
  {
    /** `NotFound` when its mailbox has been deleted meanwhile. */
    readonly one: (draft: DraftRecord) => Effect.Effect<Draft, NotFound>
    /** Leaves out drafts whose mailbox has been deleted meanwhile. */
    readonly page: (page: DraftPage) => Effect.Effect<ReadonlyArray<Item>>
  }
>() {
  static readonly layer = Layer.effect(
    DraftViews,
    Effect.gen(function* () {
      const mailboxes = yield* MailboxStore
      const { digestOf } = yield* DraftKeeper

      const view = (draft: DraftRecord, mailbox: DraftMailbox) =>
        viewDraft(draft, mailbox, digestOf(draft, mailbox))

      return {
        one: (draft) =>
          Effect.flatMap(
            mailboxes.byId(draft.accountId, draft.mailboxId),
            Option.match({
              onNone: () => new NotFound({ resource: "draft" }),
              onSome: (mailbox) => Effect.succeed(view(draft, mailbox)),
            }),
          ),

        page: Effect.fnUntraced(function* ({ drafts }) {
          const [first] = drafts
          if (first === undefined) return []
          const ids = [...new Set(drafts.map(({ draft }) => draft.mailboxId))]
          const found = yield* mailboxes.list(first.draft.accountId, ids)
          const byId = new Map(found.map((mailbox) => [mailbox.id, mailbox]))
          return drafts.flatMap(({ draft, truncated }): ReadonlyArray<Item> => {
            const mailbox = byId.get(draft.mailboxId)
            if (mailbox === undefined) return []
            return [{ ...view(draft, mailbox), ...(truncated && { truncated }) }]
          })
        }),
      }
    }),
  )
}
