/** Refuses senders at RCPT TO, for the mailboxes that want it (`onBlocked: refuse`; docs/decisions/0064). */
import {
  correspondentAddress,
  isRefusedSender,
  listVerdict,
  mailboxAddress,
  needsNoScreening,
  type Screening,
} from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { ListedAddresses } from "../addressLists/ListedAddresses.js"
import { CorrespondentStore } from "../ports/stores/CorrespondentStore.js"
import type { RecipientRequest } from "../ports/MailSpool.js"
import type { RecipientFacts } from "../ports/stores/MailboxStore.js"

interface Screened {
  readonly request: RecipientRequest
  readonly screening: Screening
}

export class SenderScreening extends Context.Tag("@mailroom/SenderScreening")<
  SenderScreening,
  {
    /**
     * The requests whose sender the mailbox refuses. `found`: the mailboxes of the requests. Two look-ups at most serve all
     * requests, and none when no mailbox refuses senders.
     */
    readonly refused: (
      requests: ReadonlyArray<RecipientRequest>,
      found: ReadonlyArray<RecipientFacts>,
    ) => Effect.Effect<ReadonlySet<RecipientRequest>>
  }
>() {
  static readonly layer = Layer.effect(
    SenderScreening,
    Effect.gen(function* () {
      const lists = yield* ListedAddresses
      const correspondents = yield* CorrespondentStore

      /** Whether the mailbox wrote to the sender: a refusal would lose an answer, so delivery quarantines it. */
      const writtenTo = Effect.fnUntraced(function* (among: ReadonlyArray<Screened>) {
        const probes = among.flatMap(({ request, screening: { mailboxId } }) => {
          const address = correspondentAddress(request.from)
          return address === null ? [] : [{ mailboxId, address, skeletons: [] }]
        })
        const { correspondents: found } =
          probes.length === 0 ? { correspondents: [] } : yield* correspondents.find(probes)
        return ({ request, screening }: Screened): boolean =>
          found.some(
            ({ mailboxId, address, writtenAt }) =>
              writtenAt !== null &&
              mailboxId === screening.mailboxId &&
              address === correspondentAddress(request.from),
          )
      })

      const refused: SenderScreening["Type"]["refused"] = Effect.fnUntraced(function* (requests, found) {
        const strict = new Map(
          found.flatMap(({ fullAddress, screening }) =>
            screening === null ? [] : [[fullAddress, screening] as const],
          ),
        )
        if (strict.size === 0) return new Set<RecipientRequest>()
        const screened = requests.flatMap((request): ReadonlyArray<Screened> => {
          const screening = strict.get(mailboxAddress(request.to))
          return screening === undefined || needsNoScreening(screening, request.from)
            ? []
            : [{ request, screening }]
        })
        const entriesOf = yield* lists.entries(
          "receive",
          screened.map(({ request, screening }) => ({ ...screening, addresses: [request.from] })),
        )
        const unwelcome = screened.flatMap(({ request, screening }) => {
          const verdict = listVerdict(entriesOf(screening), request.from)
          return isRefusedSender(screening, verdict, request.from) ? [{ request, screening, verdict }] : []
        })
        const isWrittenTo = yield* writtenTo(unwelcome.filter(({ verdict }) => verdict === "none"))
        return new Set(unwelcome.flatMap((one) => (isWrittenTo(one) ? [] : [one.request])))
      })

      return { refused }
    }),
  )
}
