/** A name server on loopback that answers from zones in memory (RFC 1035). */
import type { NameRecords } from "@mailroom/network"
import { Deferred, Effect } from "effect"
import { type Answer, decode, encode, type Packet, type Question } from "dns-packet"
import { createSocket, type Socket } from "node:dgram"
import { isIPv4, isIPv6 } from "node:net"

const NXDOMAIN = 3
const SERVFAIL = 2
const CHUNK = 255

/** The strings of a TXT record: at most 255 bytes each. */
const stringsOf = (text: string): Array<string> =>
  Array.from({ length: Math.max(1, Math.ceil(text.length / CHUNK)) }, (_, n) =>
    text.slice(n * CHUNK, (n + 1) * CHUNK),
  )

const answersTo = (
  { name, type }: Question,
  { addresses = [], mx = [], txt = [] }: NameRecords,
): Array<Answer> => {
  switch (type) {
    case "A":
      return addresses.filter(isIPv4).map((data) => ({ name, type, ttl: 300, data }))
    case "AAAA":
      return addresses.filter(isIPv6).map((data) => ({ name, type, ttl: 300, data }))
    case "MX":
      return mx.map(({ exchange, priority }) => ({
        name,
        type,
        ttl: 300,
        data: { exchange, preference: priority },
      }))
    case "TXT":
      return txt.map((text) => ({ name, type, ttl: 300, data: stringsOf(text) }))
    default:
      return []
  }
}

const respond = (query: Packet, zones: ReadonlyMap<string, NameRecords | "unavailable">): Buffer => {
  const [question] = query.questions ?? []
  const records = question === undefined ? undefined : zones.get(question.name.toLowerCase())
  const code = records === undefined ? NXDOMAIN : records === "unavailable" ? SERVFAIL : 0
  return encode({
    type: "response",
    id: query.id ?? 0,
    flags: code,
    questions: query.questions ?? [],
    answers:
      question === undefined || records === undefined || records === "unavailable"
        ? []
        : answersTo(question, records),
  })
}

const bind = (socket: Socket) =>
  Effect.async<number>((resume) => {
    socket.bind(0, "127.0.0.1", () => resume(Effect.sync(() => socket.address().port)))
  })

const open = Effect.acquireRelease(
  Effect.sync(() => createSocket("udp4")),
  (socket) => Effect.async<void>((resume) => void socket.close(() => resume(Effect.void))),
)

/** Listens until the scope closes. Returns its port, and functions to change its zones or to stop answering for a domain. */
export const nameServer = Effect.gen(function* () {
  const zones = new Map<string, NameRecords | "unavailable">()
  const socket = yield* open
  const port = yield* bind(socket)
  const silent = new Set<string>()
  socket.on("message", (message, { port: from, address }) => {
    const query = decode(message)
    const name = query.questions?.[0]?.name ?? ""
    if ([...silent].some((domain) => name.endsWith(`.${domain}`))) return
    socket.send(respond(query, zones), from, address)
  })
  const put = (name: string, records: NameRecords | "unavailable") =>
    Effect.sync(() => void zones.set(name.toLowerCase(), records))
  const silence = (domain: string) => Effect.sync(() => void silent.add(domain))
  return { port, put, silence }
})

/** Receives every query and answers none. `heard` completes with the first. */
export const silentServer = Effect.gen(function* () {
  const socket = yield* open
  const port = yield* bind(socket)
  const heard = yield* Deferred.make<void>()
  socket.on("message", () => Deferred.unsafeDone(heard, Effect.void))
  return { port, heard: Deferred.await(heard) }
})

/** A loopback port without a listener. */
export const deafPort = Effect.scoped(Effect.flatMap(open, bind))
