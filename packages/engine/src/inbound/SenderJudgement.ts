/** Judges the senders of mails at delivery: by the lists and policies of each mailbox (docs/decisions/0064). */
import {
  type AccountId,
  type AccountRecord,
  isOwnersMail,
  type MailboxRecord,
  type MessageContent,
  type QuarantineReason,
  quarantineReasons,
  senderVerdict,
} from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { ListedAddresses } from "../addressLists/ListedAddresses.js"
import type { Envelope } from "../ports/MailSpool.js"

/** One mail for one mailbox, before it is a message. */
export interface JudgedMail {
  readonly mailbox: Pick<MailboxRecord, "id" | "accountId" | "policies">
  readonly envelope: Pick<Envelope, "from">
  /** address of the From header, or the envelope sender without one */
  readonly from: string
}

/** Why a mailbox quarantines a message; empty: it does not. */
export type Judge = (
  mail: JudgedMail,
  account: AccountRecord,
  content: Pick<MessageContent, "authentication" | "trust" | "spam">,
) => ReadonlyArray<QuarantineReason>

export class SenderJudgement extends Context.Tag("@mailroom/SenderJudgement")<
  SenderJudgement,
  {
    /** Looks up the senders of a batch at once; not at all when no account of the batch has lists. */
    readonly prepare: (
      mails: ReadonlyArray<JudgedMail>,
      accounts: ReadonlyMap<AccountId, Pick<AccountRecord, "listEntryCount">>,
    ) => Effect.Effect<Judge>
  }
>() {
  static readonly layer = Layer.effect(
    SenderJudgement,
    Effect.map(ListedAddresses, (lists) => ({
      prepare: Effect.fnUntraced(function* (mails, accounts) {
        const entriesOf = yield* lists.entries(
          "receive",
          mails.map(({ mailbox: { id, accountId }, envelope, from }) => ({
            accountId,
            mailboxId: id,
            listEntryCount: accounts.get(accountId)?.listEntryCount ?? 0,
            addresses: [...new Set([from, envelope.from])],
          })),
        )
        const judge: Judge = ({ mailbox, envelope, from }, account, content) => {
          const entries = entriesOf({ accountId: mailbox.accountId, mailboxId: mailbox.id })
          const isProven = content.authentication !== null && content.authentication.verifiedDomain !== null
          const verdict = senderVerdict(entries, { from, isProven, envelopeFrom: envelope.from })
          const isOwner = isProven && isOwnersMail(account, from)
          return quarantineReasons(mailbox.policies, { verdict, isOwner }, content.trust, content.spam)
        }
        return judge
      }),
    })),
  )
}
