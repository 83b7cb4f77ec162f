/**
 * Threading of random conversations, in any order and any batches (`spec: decisions.threading.order`,
 * `decisions.threading.merge`).
 */
import { describe, expect } from "@effect/vitest"
import type { ThreadId } from "@mailroom/domain"
import { Engine, Messages } from "@mailroom/engine"
import { Effect, FastCheck, TestClock } from "effect"
import { accepted, aMail } from "./support/arrivals.js"
import { rule } from "./support/mailroom.js"
import { as, type Owner, paying } from "./support/owners.js"
import { listed } from "./support/reading.js"

interface Mail {
  /** unique text of the mail */
  readonly name: string
  readonly mailbox: number
  readonly id: string
  readonly references: ReadonlyArray<string>
  readonly inReplyTo: string | undefined
  readonly subject: string
}

/** The references of a mail to earlier ones. */
interface Link {
  readonly mailbox: number
  /** position of the answered mail, counted back from this one; 0: none */
  readonly back: number
  /** length of References; longer chains are cut at the front */
  readonly kept: number
  readonly saysInReplyTo: boolean
  /** further ids in References: of a mail that never arrives, of another conversation, of itself */
  readonly strays: ReadonlyArray<number>
  /** the same Message-ID as the mail before it */
  readonly isTwin: boolean
  readonly subject: string
}

const someLink: FastCheck.Arbitrary<Link> = FastCheck.record({
  mailbox: FastCheck.constantFrom(0, 0, 0, 1),
  back: FastCheck.integer({ min: 0, max: 3 }),
  kept: FastCheck.integer({ min: 0, max: 3 }),
  saysInReplyTo: FastCheck.boolean(),
  strays: FastCheck.array(FastCheck.integer({ min: 0, max: 12 }), { maxLength: 2 }),
  isTwin: FastCheck.integer({ min: 0, max: 7 }).map((n) => n === 0),
  subject: FastCheck.constantFrom("Lunch", "Re: Lunch", "Dinner"),
})

const someExchange = FastCheck.tuple(
  FastCheck.array(someLink, { minLength: 8, maxLength: 10 }).chain((links) =>
    FastCheck.tuple(
      FastCheck.constant(links),
      FastCheck.shuffledSubarray([...links.keys()], { minLength: links.length }),
    ),
  ),
  FastCheck.constantFrom(1, 3, 4, 5),
)

/** The mails of a run, in the order they were written. */
const written = (run: number, links: ReadonlyArray<Link>): ReadonlyArray<Mail> => {
  const chains: Array<ReadonlyArray<string>> = []
  const idAt = (n: number) => `<${run}.${n}@elsewhere.org>`
  return links.map((link, n) => {
    const id = idAt(link.isTwin && n > 0 ? n - 1 : n)
    const parent = link.back === 0 ? undefined : chains[n - link.back]
    chains.push([...(parent ?? []), id])
    const kept = parent === undefined ? [] : parent.slice(parent.length - Math.min(link.kept, parent.length))
    return {
      name: `${run}/${n}`,
      mailbox: link.mailbox,
      id,
      references: [...link.strays.map(idAt), ...kept],
      inReplyTo: link.saysInReplyTo ? parent?.at(-1) : undefined,
      subject: link.subject,
    }
  })
}

/** For each mail, the first one in its connected component of mails that share a mailbox and an id. */
const components = (mails: ReadonlyArray<Mail>): ReadonlyMap<string, string> => {
  const idsOf = ({ id, references, inReplyTo }: Mail) => [
    id,
    ...references,
    ...(inReplyTo === undefined ? [] : [inReplyTo]),
  ]
  const firstOf = new Map<string, string>()
  for (const start of mails) {
    const reached = [start]
    for (const here of reached) {
      if (firstOf.has(here.name)) continue
      firstOf.set(here.name, start.name)
      const ids = new Set(idsOf(here))
      reached.push(
        ...mails.filter((mail) => mail.mailbox === here.mailbox && idsOf(mail).some((id) => ids.has(id))),
      )
    }
  }
  return firstOf
}

/** The thread of each mail of a run. */
const threadsIn = (owners: ReadonlyArray<Owner>, run: number) =>
  Effect.map(
    Effect.forEach(owners, (owner) => listed(owner, { limit: 20 })),
    (lists) =>
      new Map<string, ThreadId>(
        lists
          .flat()
          .map(({ bodyText, threadId }) => [bodyText?.trim() ?? "", threadId] as const)
          .filter(([name]) => name.startsWith(`${run}/`)),
      ),
  )

const exchanges = FastCheck.sample(someExchange, { seed: 20_280_301, numRuns: 8 })

describe("threads are the connected components of the reply graph, in any order of arrival", () => {
  rule(
    "the id of the oldest thread stays, and the others resolve to it",
    Effect.gen(function* () {
      const owners = [yield* paying("acme"), yield* paying("other")]
      const messages = yield* Messages
      for (const [run, [[links, order], batch]] of exchanges.entries()) {
        const mails = written(run, links)
        const arriving = order.flatMap((position) => mails[position] ?? [])
        const given = new Map<string, ThreadId>()
        for (const [n, mail] of arriving.entries()) {
          const { name, mailbox, id, inReplyTo, references, subject } = mail
          const to = owners[mailbox]?.address ?? ""
          const answers = {
            ...(inReplyTo !== undefined && { inReplyTo }),
            ...(references.length > 0 && { references }),
          }
          yield* accepted(to, aMail({ to, text: name, subject, id, ...answers }))
          if ((n + 1) % batch !== 0 && n + 1 < arriving.length) continue
          yield* Engine.settle
          yield* TestClock.adjust("1 milli")
          for (const [told, threadId] of yield* threadsIn(owners, run))
            if (!given.has(told)) given.set(told, threadId)
        }
        const threads = yield* threadsIn(owners, run)
        const expected = components(arriving)
        const first = new Map([...expected].map(([name, of]) => [name, given.get(of)]))
        expect(threads, `run ${run}`).toEqual(first)
        for (const { name, mailbox } of mails) {
          const [owner, old] = [owners[mailbox], given.get(name)]
          if (owner === undefined || old === undefined) throw new Error(`${name} never came`)
          const found = yield* messages.thread(yield* as(owner), owner.mailboxId, old)
          const together = [...threads.values()].filter((id) => id === threads.get(name))
          expect(found.thread).toMatchObject({ id: threads.get(name), messageCount: together.length })
        }
      }
    }),
  )
})
