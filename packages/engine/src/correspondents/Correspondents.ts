/** Reads what a mailbox exchanged with the authors of its mail, and remembers new authors. */
import {
  correspondentAddress,
  type Correspondent,
  type Instant,
  type MailboxId,
  type MessageContent,
  provenAuthor,
  skeletonsOfAuthor,
} from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { CorrespondentStore } from "../ports/stores/CorrespondentStore.js"

/** An author of mail for a mailbox. */
export interface Author {
  readonly mailboxId: MailboxId
  /** the address in From, as it came */
  readonly from: string
}

/** A received message, as `Correspondents.rememberAuthors` reads it. */
export type AuthoredMessage = Pick<MessageContent, "mailboxId" | "fromAddress" | "authentication">

/** What a mailbox exchanged with an author before the mail. */
export interface AuthorHistory {
  /** null for an author from whom no mail came and to whom none was sent */
  readonly correspondent: Correspondent | null
  /** domains that the mailbox wrote to and that look like the author's, which may be among them */
  readonly similarDomains: ReadonlyArray<string>
}

const noHistory: AuthorHistory = { correspondent: null, similarDomains: [] }

const keyOf = (mailboxId: MailboxId, address: string): string => `${mailboxId} ${address}`

/** The histories of the authors of a batch. */
export type AuthorHistories = (author: Author) => AuthorHistory

export class Correspondents extends Context.Tag("@mailroom/Correspondents")<
  Correspondents,
  {
    /** Reads the histories of all authors of a batch with one statement. */
    readonly of: (authors: ReadonlyArray<Author>) => Effect.Effect<AuthorHistories>
    /**
     * Inside `UnitOfWork.commit`, with the accounts locked: remembers the authors of messages (`provenAuthor`) from whom no mail
     * came before. Without such an author it runs no statement.
     */
    readonly rememberAuthors: (
      messages: ReadonlyArray<AuthoredMessage>,
      before: AuthorHistories,
      at: Instant,
    ) => Effect.Effect<void>
  }
>() {
  static readonly layer: Layer.Layer<Correspondents, never, CorrespondentStore> = Layer.effect(
    Correspondents,
    Effect.map(CorrespondentStore, (store) => ({
      of: Effect.fnUntraced(function* (authors) {
        const probes = authors.flatMap(({ mailboxId, from }) => {
          const address = correspondentAddress(from)
          return address === null ? [] : [{ mailboxId, address, skeletons: skeletonsOfAuthor(address) }]
        })
        if (probes.length === 0) return () => noHistory
        const { correspondents, similarDomains } = yield* store.find(probes)
        const known = new Map(correspondents.map((one) => [keyOf(one.mailboxId, one.address), one]))
        return ({ mailboxId, from }) => {
          const address = correspondentAddress(from)
          return address === null
            ? noHistory
            : {
                correspondent: known.get(keyOf(mailboxId, address)) ?? null,
                similarDomains: similarDomains.flatMap((similar) =>
                  similar.mailboxId === mailboxId ? [similar.domain] : [],
                ),
              }
        }
      }),
      rememberAuthors: (messages, before, at) =>
        store.remember(
          messages.flatMap((message) => {
            const { mailboxId } = message
            const address = provenAuthor(message)
            if (address === null) return []
            const { correspondent } = before({ mailboxId, from: address })
            if (correspondent !== null && correspondent.heardAt !== null) return []
            return [{ mailboxId, address, heardAt: at, writtenAt: null, approvedAt: null }]
          }),
        ),
    })),
  )
}
