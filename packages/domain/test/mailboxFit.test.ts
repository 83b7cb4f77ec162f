import {
  type AccountRecord,
  BillingPeriod,
  changePlan,
  changeStatus,
  DomainId,
  fitMailboxes,
  MailboxId,
  type MailboxRecord,
  moveMailbox,
  PaidPlan,
  Plan,
  type PlanChange,
  planInForce,
  plans,
  withoutDomain,
} from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { account, drawn, mailbox, signedUp, uuid } from "./support/records.js"

const LATER = signedUp + 1

describe("fitting mailboxes to a plan", () => {
  const domain = (n: number) => DomainId.make(uuid(1000 + n))
  const idOf = (n: number) => MailboxId.make(uuid(100 + n))
  const boxes = (...facts: ReadonlyArray<Partial<MailboxRecord>>) =>
    facts.map((over, n) => mailbox({ id: idOf(n), ...over }))
  const times = (count: number, facts: Partial<MailboxRecord> = {}) =>
    Array.from({ length: count }, () => facts)
  const byBilling = { status: "paused", pausedByBilling: true } as const
  const byOwner = { status: "paused" } as const

  it("decisions.downgrade: the oldest that run go on, those over the limit pause", () => {
    expect(fitMailboxes(boxes(...times(5)), "Free")).toEqual({ pause: [idOf(3), idOf(4)], resume: [] })
  })

  it("decisions.downgrade: within the limit nothing moves", () => {
    expect(fitMailboxes(boxes(...times(10)), "Developer")).toEqual({ pause: [], resume: [] })
  })

  it("decisions.downgrade: those on custom domains beyond the plan's pause, and platform mailboxes go on", () => {
    const all = boxes({ domainId: domain(1) }, { domainId: domain(2) }, {}, { domainId: domain(1) })
    expect(fitMailboxes(all, "Developer").pause).toEqual([idOf(1)])
    expect(fitMailboxes(all, "Free").pause).toEqual([idOf(0), idOf(1), idOf(3)])
  })

  it("decisions.downgrade: what pauses for its domain leaves its room to the next", () => {
    const all = boxes({ domainId: domain(1) }, ...times(4))
    expect(fitMailboxes(all, "Free").pause).toEqual([idOf(0), idOf(4)])
  })

  it("decisions.downgrade: those that billing paused run again, the oldest first, as far as there is room", () => {
    const all = boxes(...times(2), ...times(2, byBilling))
    expect(fitMailboxes(all, "Free")).toEqual({ pause: [], resume: [idOf(2)] })
    expect(fitMailboxes(all, "Developer")).toEqual({ pause: [], resume: [idOf(2), idOf(3)] })
  })

  it("decisions.downgrade: those that billing paused run again only as far as there is room for their domains", () => {
    const all = boxes(
      { domainId: domain(1) },
      { ...byBilling, domainId: domain(2) },
      { ...byBilling, domainId: domain(1) },
    )
    expect(fitMailboxes(all, "Developer").resume).toEqual([idOf(2)])
    expect(fitMailboxes(all, "Growth").resume).toEqual([idOf(1), idOf(2)])
  })

  it("decisions.downgrade: one that runs goes before one that waits, however old", () => {
    const all = boxes(byBilling, ...times(3))
    expect(fitMailboxes(all, "Free")).toEqual({ pause: [], resume: [] })
  })

  it("decisions.downgrade: those their owner paused stay so", () => {
    expect(fitMailboxes(boxes(byOwner), "Scale")).toEqual({ pause: [], resume: [] })
  })

  it("a suspended mailbox takes room, with its domain, and stays suspended", () => {
    const suspended = { status: "suspended", domainId: domain(1), pausedByBilling: true } as const
    const all = boxes(...times(3), { domainId: domain(2) }, suspended)
    expect(fitMailboxes(all, "Free").pause).toEqual([idOf(2), idOf(3)])
    expect(fitMailboxes(all, "Developer").pause).toEqual([idOf(3)])
  })

  it("a mailbox that moves says who paused it, and when it changed", () => {
    const away = moveMailbox(mailbox(), "paused", LATER)
    expect(away).toEqual({ ...mailbox(), status: "paused", pausedByBilling: true, updatedAt: LATER })
    expect(moveMailbox(away, "ACTIVE", LATER)).toEqual({ ...mailbox(), updatedAt: LATER })
  })

  it("docs/decisions/0015: a mailbox that lost its domain while it was to be moved stays suspended", () => {
    const lost = withoutDomain(mailbox(), signedUp)
    for (const to of ["ACTIVE", "paused"] as const) expect(moveMailbox(lost, to, LATER)).toEqual(lost)
  })

  /** What happens to an account, and what its owner does to its mailboxes. */
  type Step =
    | PlanChange
    | { readonly kind: "pause" | "start" | "suspend"; readonly mailbox: number }
    | { readonly kind: "add"; readonly domain: number }

  const steps = FastCheck.array(
    FastCheck.oneof(
      FastCheck.record({
        kind: FastCheck.constant("paid" as const),
        plan: FastCheck.constantFrom(...PaidPlan.literals),
        period: FastCheck.constantFrom(...BillingPeriod.literals),
        reference: FastCheck.constant("sub_1"),
      }),
      FastCheck.record({
        kind: FastCheck.constant("given" as const),
        plan: FastCheck.constantFrom(...Plan.literals),
      }),
      FastCheck.constantFrom<PlanChange>({ kind: "given up" }, { kind: "lapsed" }),
      FastCheck.record({
        kind: FastCheck.constantFrom("pause" as const, "start" as const, "suspend" as const),
        mailbox: FastCheck.nat(20),
      }),
      FastCheck.record({ kind: FastCheck.constant("add" as const), domain: FastCheck.nat(7) }),
    ),
    { maxLength: 60 },
  )

  interface World {
    readonly account: AccountRecord
    readonly mailboxes: ReadonlyArray<MailboxRecord>
    /** what its owner paused and did not start again */
    readonly owners: ReadonlySet<MailboxId>
  }

  const use = ({ account, mailboxes }: World, domainId: DomainId | null) => {
    const running = mailboxes.filter(({ status }) => status !== "paused")
    const domains = new Set(running.flatMap((one) => (one.domainId === null ? [] : [one.domainId])))
    if (domainId !== null) domains.add(domainId)
    return { plan: planInForce(account), mailboxes: running.length, customDomains: domains.size }
  }

  const take = (world: World, step: Step): World => {
    const { account, mailboxes, owners } = world
    switch (step.kind) {
      case "add": {
        const domainId = step.domain < 5 ? null : domain(step.domain)
        // A new one that runs is let in by the plan; to have many of them, others come in paused by billing.
        const added = mailbox({ id: idOf(mailboxes.length), domainId, ...byBilling })
        return { ...world, mailboxes: [...mailboxes, added] }
      }
      case "pause":
      case "start":
      case "suspend": {
        const chosen = mailboxes[step.mailbox]
        if (chosen === undefined) return world
        const moved =
          step.kind === "suspend"
            ? { ...chosen, status: "suspended" as const }
            : Either.getOrElse(
                changeStatus(
                  chosen,
                  step.kind === "pause" ? "paused" : "ACTIVE",
                  use(world, chosen.domainId),
                ),
                () => chosen,
              )
        const own = new Set(owners)
        if (step.kind === "pause" && moved.status === "paused") own.add(chosen.id)
        if (moved.status === "ACTIVE") own.delete(chosen.id)
        return {
          account,
          mailboxes: mailboxes.map((one) => (one === chosen ? moved : one)),
          owners: own,
        }
      }
      default: {
        const after = changePlan(account, step)
        if (after === account) return world
        const { pause, resume } = fitMailboxes(mailboxes, planInForce(after))
        return {
          account: after,
          mailboxes: mailboxes.map((one) => {
            if (pause.includes(one.id)) return moveMailbox(one, "paused", LATER)
            return resume.includes(one.id) ? moveMailbox(one, "ACTIVE", LATER) : one
          }),
          owners,
        }
      }
    }
  }

  const planChanges: ReadonlyArray<Step["kind"]> = ["paid", "given", "given up", "lapsed"]
  const isPlanChange = ({ kind }: Step) => planChanges.includes(kind)

  it.prop(
    "decisions.downgrade: after any changes the active mailboxes fit the plan, and nothing the owner paused runs by itself",
    [steps],
    ([all]) => {
      let world: World = { account: account(), mailboxes: [], owners: new Set() }
      for (const step of all) {
        const before = world
        world = take(world, step)
        if (!isPlanChange(step)) continue
        const limits = plans[planInForce(world.account)]
        const suspended = world.mailboxes.filter(({ status }) => status === "suspended")
        const active = world.mailboxes.filter(({ status }) => status === "ACTIVE")
        const { customDomains } = use({ ...world, mailboxes: active }, null)
        expect(active.length).toBeLessThanOrEqual(Math.max(0, limits.mailboxes - suspended.length))
        expect(customDomains).toBeLessThanOrEqual(limits.customDomains ?? Infinity)
        expect(active.filter(({ id }) => world.owners.has(id))).toEqual([])
        // Only what ran pauses, and only what billing had paused runs again.
        world.mailboxes.forEach((mailbox, n) => {
          const was = before.mailboxes[n]
          if (was?.status === mailbox.status) expect(mailbox).toBe(was)
          else expect(was?.pausedByBilling).toBe(mailbox.status === "ACTIVE")
        })
      }
    },
    drawn,
  )
})
