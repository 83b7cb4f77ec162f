/**
 * The links of List-Unsubscribe (RFC 8058). A link belongs to one recipient and one mailbox. A click suppresses the recipient
 * for the mailbox (`spec: bulk.click`; docs/decisions/0069).
 */
import {
  type AccountId,
  type MailboxId,
  readUnsubscribeToken,
  SuppressionId,
  UNSUBSCRIBE_PATH,
  unsubscribeText,
  unsubscribeToken,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { Ids } from "../ids/Ids.js"
import { logLine } from "../mailLog.js"
import { Metrics } from "../metrics.js"
import { Vault } from "../ports/Crypto.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { MailboxSuppressionStore, type UnsubscribeFacts } from "../ports/stores/MailboxSuppressionStore.js"
import { UnitOfWork } from "../UnitOfWork.js"

/** What the signature of a link is for. */
const PURPOSE = "unsubscribe"

/** What a link is about. */
export interface Unsubscription {
  /** who unsubscribes */
  readonly recipient: string
  /** the address of the mailbox; null when it does not exist any more */
  readonly mailbox: string | null
}

export class Unsubscribes extends Context.Tag("@mailroom/Unsubscribes")<
  Unsubscribes,
  {
    /** The link for a recipient, a normalized address; null when `baseUrl` is not https, which RFC 8058 §3.1 requires. */
    readonly linkFor: (mailboxId: MailboxId, recipient: string) => string | null
    /** Reads the recipient and the mailbox of a link. None for a wrong token, without a query. */
    readonly find: (token: string) => Effect.Effect<Option.Option<Unsubscription>>
    /**
     * Suppresses the recipient for the mailbox. Idempotent: a repetition reads one row and writes none. None for a wrong
     * token, without a query.
     */
    readonly unsubscribe: (token: string) => Effect.Effect<Option.Option<Unsubscription>>
  }
>() {
  static readonly layer = Layer.effect(
    Unsubscribes,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const suppressions = yield* MailboxSuppressionStore
      const vault = yield* Vault
      const ids = yield* Ids
      const { commit } = yield* UnitOfWork
      const { baseUrl } = yield* Settings

      const targetOf = (token: string) =>
        Option.filter(readUnsubscribeToken(token), (target) =>
          vault.verify(PURPOSE, unsubscribeText(target), target.signature),
        )

      /** What a token is about, and its mailbox. */
      const read = (token: string) =>
        Effect.transposeOption(
          Option.map(targetOf(token), ({ mailboxId, recipient }) =>
            Effect.map(suppressions.facts(mailboxId, recipient), (facts) => ({
              mailboxId,
              recipient,
              facts,
            })),
          ),
        )

      /** Inside a transaction. False when the mailbox or its account was deleted, or the address is suppressed already. */
      const suppress = Effect.fnUntraced(function* (
        accountId: AccountId,
        mailboxId: MailboxId,
        email: string,
      ) {
        yield* accounts.lock([accountId])
        // Read again under the lock: mailboxes are deleted under it, and a deleted one keeps no entry.
        const facts = yield* suppressions.facts(mailboxId, email)
        if (Option.isNone(facts) || facts.value.isSuppressed) return false
        const id = SuppressionId.make(yield* ids.uuid)
        const createdAt = yield* Clock.currentTimeMillis
        yield* suppressions.insert({ id, accountId, mailboxId, email, reason: "MANUAL", createdAt })
        return true
      })

      const shown = ({ recipient, facts }: Found): Unsubscription => ({
        recipient,
        mailbox: Option.getOrNull(Option.map(facts, ({ fullAddress }) => fullAddress)),
      })

      return {
        linkFor: (mailboxId, recipient) => {
          if (!baseUrl.startsWith("https:")) return null
          const target = { mailboxId, recipient }
          const signature = vault.sign(PURPOSE, unsubscribeText(target))
          return `${baseUrl}${UNSUBSCRIBE_PATH}${unsubscribeToken(target, signature)}`
        },
        find: Effect.fn("Unsubscribes.find")((token) => Effect.map(read(token), Option.map(shown))),
        unsubscribe: Effect.fn("Unsubscribes.unsubscribe")(function* (token) {
          const found = yield* read(token)
          if (Option.isNone(found)) return Option.none()
          const { mailboxId, recipient, facts } = found.value
          if (Option.isSome(facts) && !facts.value.isSuppressed) {
            const { accountId } = facts.value
            const isNew = yield* commit(suppress(accountId, mailboxId, recipient))
            if (isNew)
              yield* Effect.zipRight(
                Metrics.mailReported("opted-out"),
                logLine("recipient unsubscribed from the mailbox", { accountId, mailboxId, to: recipient }),
              )
          }
          return Option.some(shown(found.value))
        }),
      }
    }),
  )
}

/** A token with a right signature. `facts`: none when its mailbox does not exist any more. */
interface Found {
  readonly mailboxId: MailboxId
  readonly recipient: string
  readonly facts: Option.Option<UnsubscribeFacts>
}
