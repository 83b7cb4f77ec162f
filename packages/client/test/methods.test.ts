/** The client has a method for each operation of the contract, and no other. */
import * as HttpApi from "@effect/platform/HttpApi"
import { Api } from "@mailroom/api"
import { Mailroom } from "@mailroom/client"
import { expect, it } from "vitest"
import { contract, methodOf } from "./generator/contract.js"

/** Routes of the contract without a method. */
const withoutMethod = {
  "POST /v1/reports/{provider}": "mail providers post their reports there",
  "POST /v1/billing/stripe/webhook": "Stripe posts its events there",
}

/** Methods without a route. */
const withoutRoute = {
  "webhooks.unwrap": "verifies what arrived, and sends nothing",
}

const routes = new Set<string>()
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint: { method, path } }) => {
    routes.add(`${method} ${path.replace(/:(\w+)/g, "{$1}")}`)
  },
})

/** Whatever is asked, in one answer: the end of a wait, a link to a file, a page. */
const anything = {
  timedOut: false,
  url: "https://mail.test/v1/attachments/1/content?expires=1&signature=s",
  events: [],
  metadata: { hasMore: false },
}

const requests: Array<string> = []
const mailroom = new Mailroom({
  baseUrl: "https://mail.test",
  fetch: async (url, { method }) => {
    requests.push(`${method} ${new URL(url).pathname}`)
    return Response.json(anything)
  },
})

/** The names of the functions of an object and its classes. */
const functionsOf = (value: object): ReadonlyArray<string> => {
  if (value === Object.prototype || value === Function.prototype) return []
  const names = Object.entries(Object.getOwnPropertyDescriptors(value))
    .filter(([name, { value }]) => name !== "constructor" && typeof value === "function")
    .map(([name]) => name)
  const parent: object | null = Object.getPrototypeOf(value)
  return parent === null ? names : [...names, ...functionsOf(parent)]
}

const methods = Object.entries(mailroom).flatMap(([resource, value]: [string, object]) => [
  ...functionsOf(value).map((method) => `${resource}.${method}`),
  ...(typeof value === "function" ? [`${resource}.stream`] : []),
])

const { operations } = contract()

it("each method has an operation, and each operation a method", () => {
  expect([...methods].toSorted()).toEqual(
    [...operations.map(methodOf), ...Object.keys(withoutRoute)].toSorted(),
  )
})

it("the operations are all routes of the contract", () => {
  const ofOperations = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  expect([...ofOperations, ...Object.keys(withoutMethod)].toSorted()).toEqual([...routes].toSorted())
})

/** Calls a method with ids in all places of its path. */
const call = async (name: string, path: string): Promise<unknown> => {
  const [resource = "", method = ""] = name.split(".")
  if (name === "events.stream") {
    const controller = new AbortController()
    const events = mailroom.events({ signal: controller.signal, onDisconnect: () => controller.abort() })
    return events.next()
  }
  if (name === "attachments.download") return mailroom.attachments.download("1")
  if (name === "messages.import") return mailroom.messages.import("1", "From: ada@x.org\r\n\r\nHello")
  if (name === "attachments.upload") return mailroom.attachments.upload(new File(["1"], "one.txt"))
  const ids = [...path.matchAll(/\{\w+\}/g)].map(() => "1")
  return Reflect.apply(
    Reflect.get(Reflect.get(mailroom, resource), method),
    Reflect.get(mailroom, resource),
    [...ids, {}],
  )
}

it.each(operations.map((operation) => [methodOf(operation), operation] as const))(
  "%s calls its route",
  async (name, { method, path }) => {
    requests.length = 0
    await call(name, path)
    expect(requests).toContain(`${method.toUpperCase()} ${path.replace(/\{\w+\}/g, "1")}`)
  },
)
