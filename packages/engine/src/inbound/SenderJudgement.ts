/** Judges the senders of mails at delivery by the lists of each mailbox (docs/decisions/0064). */
import {
  type AccountId,
  type AccountRecord,
  type Authentication,
  isOwnersMail,
  isProvenAuthor,
  type JudgedSender,
  type MailboxRecord,
  senderVerdict,
} from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { ListedAddresses } from "../addressLists/ListedAddresses.js"

/** The sender of a mail for one mailbox. */
export interface ArrivingSender {
  readonly mailbox: Pick<MailboxRecord, "id" | "accountId">
  /** MAIL FROM; empty for the null return path */
  readonly envelopeFrom: string
  /** address of the From header, or the envelope sender without one */
  readonly from: string
  readonly authentication: Authentication
}

export type Judge = (sender: ArrivingSender, account: AccountRecord) => JudgedSender

export class SenderJudgement extends Context.Tag("@mailroom/SenderJudgement")<
  SenderJudgement,
  {
    /** Looks up the senders of a batch at once; not at all when no account of the batch has lists. */
    readonly prepare: (
      senders: ReadonlyArray<ArrivingSender>,
      accounts: ReadonlyMap<AccountId, Pick<AccountRecord, "listEntryCount">>,
    ) => Effect.Effect<Judge>
  }
>() {
  static readonly layer = Layer.effect(
    SenderJudgement,
    Effect.map(ListedAddresses, (lists) => ({
      prepare: Effect.fnUntraced(function* (senders, accounts) {
        const entriesOf = yield* lists.entries(
          "receive",
          senders.map(({ mailbox: { id, accountId }, envelopeFrom, from }) => ({
            accountId,
            mailboxId: id,
            listEntryCount: accounts.get(accountId)?.listEntryCount ?? 0,
            addresses: [...new Set([from, envelopeFrom])],
          })),
        )
        const judge: Judge = ({ mailbox, envelopeFrom, from, authentication }, account) => {
          const isProven = isProvenAuthor(authentication, from)
          const entries = entriesOf({ accountId: mailbox.accountId, mailboxId: mailbox.id })
          return {
            verdict: senderVerdict(entries, { from, isProven, envelopeFrom }),
            isOwner: isProven && isOwnersMail(account, from),
          }
        }
        return judge
      }),
    })),
  )
}
