/** Refuses senders at RCPT TO, for the mailboxes that want it (`onBlocked: refuse`; docs/decisions/0064). */
import {
  isRefusedSender,
  listVerdict,
  mailboxAddress,
  needsNoScreening,
  type Screening,
} from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { ListedAddresses } from "../addressLists/ListedAddresses.js"
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
     * The requests whose sender the mailbox refuses. `found`: the mailboxes of the requests. Looks the lists of all mailboxes
     * up at once, and does not when no mailbox refuses senders.
     */
    readonly refused: (
      requests: ReadonlyArray<RecipientRequest>,
      found: ReadonlyArray<RecipientFacts>,
    ) => Effect.Effect<ReadonlySet<RecipientRequest>>
  }
>() {
  static readonly layer = Layer.effect(
    SenderScreening,
    Effect.map(ListedAddresses, (lists) => ({
      refused: Effect.fnUntraced(function* (requests, found) {
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
        return new Set(
          screened.flatMap(({ request, screening }) =>
            isRefusedSender(screening, listVerdict(entriesOf(screening), request.from), request.from)
              ? [request]
              : [],
          ),
        )
      }),
    })),
  )
}
