/** Send and inbound limits under clocks that stand still, leap forward and go back. */
import {
  type AccountRecord,
  countReceived,
  DAY,
  dayOf,
  HOUR,
  inboundGate,
  MINUTE,
  monthOf,
  monthTurned,
  Plan,
  plans,
  SECOND,
  takeSend,
  timestamp,
} from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { account, at, drawn, mailbox } from "./support/records.js"

/** From one look at the clock to the next: often within a window, sometimes over many, at times back. */
const steps = FastCheck.oneof(
  { weight: 4, arbitrary: FastCheck.integer({ min: 0, max: 2 * SECOND }) },
  { weight: 3, arbitrary: FastCheck.integer({ min: 0, max: 2 * HOUR }) },
  { weight: 2, arbitrary: FastCheck.integer({ min: 0, max: 70 * DAY }) },
  { weight: 1, arbitrary: FastCheck.integer({ min: -2 * HOUR, max: 0 }) },
  { weight: 1, arbitrary: FastCheck.integer({ min: -40 * DAY, max: 0 }) },
)

/** Around what turns: midnights, months of every length, a leap day, New Year. */
const starts = FastCheck.constantFrom(
  at("2026-03-31T23:59:59.990Z"),
  at("2026-12-31T23:59:59.990Z"),
  at("2027-02-28T23:59:59.990Z"),
  at("2028-02-28T23:59:59.990Z"),
  at("2028-02-29T23:59:59.990Z"),
  at("2026-03-15T12:00:00.000Z"),
)

const course = FastCheck.tuple(
  starts,
  FastCheck.array(FastCheck.tuple(steps, FastCheck.nat(60)), { minLength: 1, maxLength: 40 }),
)

/** The instants of a course, and how much happens at each. */
const momentsOf = ([start, moves]: readonly [number, ReadonlyArray<readonly [number, number]>]) => {
  let now = start
  return moves.map(([step, happenings]) => {
    now += step
    return { now, happenings }
  })
}

const minuteOf = (instant: number): number => Math.floor(instant / MINUTE)

class Tally<K> {
  readonly counts = new Map<K, number>()
  of(key: K): number {
    return this.counts.get(key) ?? 0
  }
  add(key: K): void {
    this.counts.set(key, this.of(key) + 1)
  }
}

const courses = { fastCheck: { ...drawn.fastCheck, numRuns: 60 } }

describe("the sends of a mailbox, whatever the clock does", () => {
  it.prop(
    "limits.send.independent: are as many as minute, day and month allow, and no fewer",
    [
      course,
      FastCheck.constantFrom(...Plan.literals),
      FastCheck.integer({ min: 1, max: 40 }),
      FastCheck.constantFrom(0, 80, 4980),
    ],
    ([moves, plan, perMinute, sentBefore]) => {
      const { sendsPerDay, sendsPerMonth } = plans[plan]
      const [minutes, days, months] = [new Tally<number>(), new Tally<string>(), new Tally<string>()]
      const [start] = moves
      let box = mailbox({
        sentDay: { window: dayOf(start), count: Math.min(80, sentBefore) },
        sentMonth: { window: monthOf(start), count: sentBefore },
        sentMinute: { window: `${timestamp(start).slice(0, 16)}Z`, count: 0 },
      })
      days.counts.set(dayOf(start), box.sentDay.count)
      months.counts.set(monthOf(start), sentBefore)
      // A clock that goes back turns no window: what counts is the latest time at which something was sent.
      let latest = start
      for (const { now, happenings } of momentsOf(moves))
        for (let n = 0; n < happenings; n++) {
          const counted = Math.max(latest, now)
          const [minute, day, month] = [minuteOf(counted), dayOf(counted), monthOf(counted)]
          const allowed =
            minutes.of(minute) < perMinute &&
            days.of(day) < sendsPerDay &&
            (sendsPerMonth === null || months.of(month) < sendsPerMonth)
          const outcome = takeSend(box, plan, perMinute, now)
          expect(Either.isRight(outcome), timestamp(now)).toBe(allowed)
          if (Either.isLeft(outcome)) continue
          box = outcome.right
          latest = counted
          minutes.add(minute)
          days.add(day)
          months.add(month)
        }
    },
    courses,
  )

  it.prop(
    "limits.send.day: are free again when the refusal said, and no second earlier",
    [course, FastCheck.integer({ min: 1, max: 5 })],
    ([moves, perMinute]) => {
      let box = mailbox()
      for (const { now, happenings } of momentsOf(moves))
        for (let n = 0; n < happenings; n++) {
          const outcome = takeSend(box, "Free", perMinute, now)
          if (Either.isRight(outcome)) {
            box = outcome.right
            continue
          }
          const { _tag: tag, retryAfter } = outcome.left
          const freeAt = now + retryAfter * SECOND
          const tagAt = (when: number) =>
            Either.match(takeSend(box, "Free", perMinute, when), {
              onLeft: (refusal) => refusal._tag,
              onRight: () => null,
            })
          expect(Number.isInteger(retryAfter) && retryAfter >= 1).toBe(true)
          expect(tagAt(freeAt)).not.toBe(tag)
          expect(tagAt(Math.max(now, freeAt - SECOND - 1))).toBe(tag)
        }
    },
    courses,
  )
})

describe("the arrivals of an account, whatever the clock does", () => {
  /** As the next look at the account does it. */
  const unlocked = (found: AccountRecord, now: number): AccountRecord =>
    monthTurned(found, now) ? { ...found, overLimitCount: 0, overLimitMonth: null } : found

  it.prop(
    "limits.inbound.gated: show the cap of each month and gate the rest, which the month's turn unlocks once",
    [course],
    ([moves]) => {
      const months = new Tally<string>()
      let current = account()
      let latest = 0
      let gatedIn: string | null = null
      let pending = 0
      for (const { now, happenings } of momentsOf(moves)) {
        const before = current
        current = unlocked(current, now)
        const turns: boolean = gatedIn !== null && monthOf(now) > gatedIn
        expect(current !== before, timestamp(now)).toBe(turns)
        if (turns) [gatedIn, pending] = [null, 0]
        for (let n = 0; n < happenings; n++) {
          latest = Math.max(latest, now)
          const month = monthOf(latest)
          const gate = inboundGate(current, "unverified", now)
          expect(gate).toBe(months.of(month) < 100 ? null : "INBOUND_LIMIT_EXCEEDED")
          current = countReceived(current, "unverified", gate, now)
          months.add(month)
          if (gate !== null) [gatedIn, pending] = [month, pending + 1]
        }
        expect([current.overLimitCount, current.overLimitMonth]).toEqual([pending, gatedIn])
      }
      expect(unlocked(current, latest + 70 * DAY)).toMatchObject({ overLimitCount: 0, overLimitMonth: null })
    },
    courses,
  )
})
