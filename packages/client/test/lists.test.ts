/** Lists, page by page and item by item. */
import { expect, it } from "vitest"
import { scriptedClient } from "./support/script.js"
import { startService } from "./support/service.js"

const service = startService()

const collected = async <T>(items: AsyncIterable<T>): Promise<ReadonlyArray<T>> => {
  const all: Array<T> = []
  for await (const item of items) all.push(item)
  return all
}

it("`for await` takes every page, and `await` the first", async () => {
  const { mailroom } = await service.agent()
  for (const email of ["ann@x.dev", "bob@x.dev", "cy@x.dev"]) await mailroom.suppressions.create({ email })
  const all = await collected(mailroom.suppressions.list({ limit: 1 }))
  expect(all.map(({ email }) => email)).toEqual(["cy@x.dev", "bob@x.dev", "ann@x.dev"])

  const first = await mailroom.suppressions.list({ limit: 2 })
  expect(first.items.map(({ email }) => email)).toEqual(["cy@x.dev", "bob@x.dev"])
  expect(first).toMatchObject({ hasMore: true, body: { metadata: { limit: 2 } } })
  const second = await first.nextPage()
  expect(second.items.map(({ email }) => email)).toEqual(["ann@x.dev"])
  expect(second.hasMore).toBe(false)
  expect(() => second.nextPage()).toThrow(RangeError)
})

it("a list that has one page only is a list, too", async () => {
  const { mailroom, mailboxId } = await service.agent()
  expect((await collected(mailroom.mailboxes.list())).map(({ id }) => id)).toEqual([mailboxId])
  expect(await mailroom.threads.list(mailboxId)).toMatchObject({ items: [], hasMore: false })
})

it("a page may be empty before the last one, and the query goes along", async () => {
  const page = (messages: ReadonlyArray<object>, nextCursor?: string) =>
    Response.json({ messages, metadata: { hasMore: nextCursor !== undefined, nextCursor } })
  const { mailroom, asked } = scriptedClient([page([{ id: "1" }], "a"), page([], "b"), page([{ id: "2" }])])
  const since = new Date("2026-01-01T00:00:00Z")
  const found = await collected(mailroom.messages.list("box", { since, labels: ["a", "b"], offset: 3 }))
  expect(found).toEqual([{ id: "1" }, { id: "2" }])
  const query = "since=2026-01-01T00%3A00%3A00.000Z&labels=a%2Cb"
  expect(asked.map(({ path }) => path.split("?")[1])).toEqual([
    `${query}&offset=3`,
    `${query}&cursor=a`,
    `${query}&cursor=b`,
  ])
})

it("the log of events is a list, which goes on behind its last event", async () => {
  const { mailroom, mailboxId, address } = await service.agent()
  await service.receive(address, {}, {}, {})
  const all = await collected(mailroom.events.log({ limit: 1, events: ["message.received"], mailboxId }))
  expect(all.map(({ event }) => event)).toEqual(["message.received", "message.received", "message.received"])
})

it("a call gives its response, and fails where it is awaited", async () => {
  const { mailroom, mailboxId } = await service.agent()
  const { data, response, requestId } = await mailroom.mailboxes.get(mailboxId).withResponse()
  expect(data.id).toBe(mailboxId)
  expect([response.status, requestId]).toEqual([200, undefined])
  expect(response.headers.get("x-service-inbound-quota")).toMatch(/^\d+\//)
  const { data: page } = await mailroom.mailboxes.list().withResponse()
  expect(page.items).toHaveLength(1)
  await expect(mailroom.mailboxes.get("nope").withResponse()).rejects.toMatchObject({ status: 404 })
})
