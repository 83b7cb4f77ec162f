/**
 * Assigns messages to threads (`spec: decisions.threading.headers`). Loads the threads that a batch of messages may belong
 * to, assigns each message in memory, and writes the result in a few statements, whatever the size of the batch.
 */
import {
  type AccountId,
  baseSubject,
  type Instant,
  hasSubjectPrefix,
  type Linked,
  mailboxAddress,
  type MailboxId,
  mergedThread,
  place,
  type ShownInThread,
  THREAD_SUBJECT_WINDOW,
  threadingIds,
  type ThreadId,
  threadParticipants,
  type ThreadRecord,
  threadsBySubject,
  withShownMessage,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { JobQueue } from "../jobs/JobQueue.js"
import { type SubjectProbe, type ThreadLink, ThreadStore } from "../ports/stores/ThreadStore.js"

/** The fields of a message that threading uses. */
export interface Threadable {
  readonly accountId: AccountId
  readonly mailboxId: MailboxId
  /** the mailbox's own address, which is in every thread and so does not match any by subject */
  readonly ownAddress: string
  readonly links: Linked
  /** its Message-ID, or the one that this service gave it; replies refer to it */
  readonly rfcId: string
  readonly subject: string
  readonly participants: ReadonlyArray<string>
  readonly createdAt: Instant
  /** a hidden message belongs to a thread but does not change the thread's count, subject or participants */
  readonly visible: boolean
}

/** A message that becomes visible, and its thread. */
type Shown = ShownInThread & { readonly threadId: ThreadId }

const noneAbsorbed: ReadonlyMap<ThreadId, ThreadId> = new Map()

/** Rows of merged threads that one transaction rewrites at most. A job rewrites the others. */
const MOVED_AT_ONCE = 200

const keyOf = (mailboxId: string, rfcId: string): string => `${mailboxId} ${rfcId}`

/** What to write for messages that were assigned to threads. */
export interface ThreadChanges {
  readonly threads: ReadonlyArray<ThreadRecord>
  readonly links: ReadonlyArray<ThreadLink>
}

/** A thread without visible messages. The first visible one sets its subject. */
const started = (
  message: Pick<Threadable, "accountId" | "mailboxId" | "createdAt">,
  id: ThreadId,
): ThreadRecord => ({
  id,
  accountId: message.accountId,
  mailboxId: message.mailboxId,
  subject: "",
  baseSubject: "",
  participants: [],
  messageCount: 0,
  lastMessageAt: message.createdAt,
  createdAt: message.createdAt,
  takenOverAt: null,
})

/**
 * A new thread for an outgoing message that is no reply. Needs no query: no stored message can refer to its new Message-ID.
 */
export const startThread = (
  message: Pick<Threadable, "accountId" | "mailboxId" | "rfcId" | "createdAt">,
  id: ThreadId,
): ThreadChanges => ({
  threads: [started(message, id)],
  links: [{ mailboxId: message.mailboxId, rfcId: message.rfcId, threadId: id }],
})

/** How to find the thread of a message by its subject; null when its subject does not decide. */
const probeOf = (message: Threadable): SubjectProbe | null => {
  const { mailboxId, ownAddress, links, subject, createdAt } = message
  const base = baseSubject(subject)
  if (!threadsBySubject(links, hasSubjectPrefix(subject), base)) return null
  const participants = message.participants.filter((address) => mailboxAddress(address) !== ownAddress)
  return participants.length === 0
    ? null
    : {
        mailboxId,
        baseSubject: base,
        participants,
        since: createdAt - THREAD_SUBJECT_WINDOW,
        // An imported message may be older than the thread.
        until: createdAt + THREAD_SUBJECT_WINDOW,
      }
}

/** A batch of messages that is being assigned to threads. */
export interface Placing {
  /** Assigns the next message. `fresh` becomes the id of its thread if it starts one. */
  readonly place: (message: Threadable, fresh: ThreadId) => void
  /** Inside `UnitOfWork.commit`: writes threads, links and merges. Adds a job for the rest of a large merge. */
  readonly save: Effect.Effect<void>
  /** What `save` would write; none when threads are merged, which only `save` does. */
  readonly changes: () => Option.Option<ThreadChanges>
  /** The thread of a message. Call it after all messages are assigned, because a later one can merge threads. */
  readonly threadOf: (message: Threadable) => ThreadId
  /** The thread of a message as `save` would write it. */
  readonly recordOf: (message: Threadable) => ThreadRecord
}

export class ThreadIndex extends Context.Tag("@mailroom/ThreadIndex")<
  ThreadIndex,
  {
    /** Inside a transaction: reads the threads that these messages may belong to. */
    readonly open: (messages: ReadonlyArray<Threadable>) => Effect.Effect<Placing>
    /** Inside a transaction: adds messages that become visible to their threads. Accepts ids of merged threads. */
    readonly show: (messages: ReadonlyArray<Shown>) => Effect.Effect<void>
    /** Inside a transaction: as `show`, in one statement if the message is the first visible one of its thread. */
    readonly showFirst: (message: Shown) => Effect.Effect<void>
  }
>() {
  static readonly layer: Layer.Layer<ThreadIndex, never, JobQueue | ThreadStore> = Layer.effect(
    ThreadIndex,
    Effect.gen(function* () {
      const store = yield* ThreadStore
      const jobs = yield* JobQueue
      const moveLater = ({ accountId, id }: ThreadRecord) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          jobs.add({ kind: "move-thread", accountId, threadId: id }, now),
        )

      return {
        open: Effect.fnUntraced(function* (messages) {
          const wanted = messages.flatMap(({ mailboxId, links }) =>
            threadingIds(links).map((rfcId) => ({ mailboxId, rfcId })),
          )
          const found = wanted.length === 0 ? [] : yield* store.links(wanted)
          const probes = messages.flatMap((message) => probeOf(message) ?? [])
          const bySubject = probes.length === 0 ? [] : yield* store.bySubjects(probes)
          const tiedIds = [...new Set(found.map((link) => link.threadId))]
          const tied = tiedIds.length === 0 ? [] : yield* store.byIds(tiedIds)
          return placing(store, moveLater, found, [...tied, ...bySubject])
        }),
        show: showIn(store),
        showFirst: (message) => {
          const { threadId, subject, createdAt } = message
          const participants = threadParticipants(message.participants)
          return store
            .showFirst({
              id: threadId,
              subject,
              baseSubject: baseSubject(subject),
              participants,
              lastMessageAt: createdAt,
            })
            .pipe(Effect.flatMap((isFirst) => (isFirst ? Effect.void : showIn(store)([message]))))
        },
      }
    }),
  )
}

/** `ThreadIndex.show` */
const showIn = (store: Context.Tag.Service<ThreadStore>) =>
  Effect.fnUntraced(function* (messages: ReadonlyArray<Shown>) {
    const named = [...new Set(messages.map((message) => message.threadId))]
    const threads = new Map((yield* store.byIds(named)).map((thread) => [thread.id, thread]))
    const absorbed = named.filter((id) => !threads.has(id))
    const current = absorbed.length === 0 ? noneAbsorbed : yield* store.currentIds(absorbed)
    for (const thread of current.size === 0 ? [] : yield* store.byIds([...new Set(current.values())]))
      if (!threads.has(thread.id)) threads.set(thread.id, thread)
    const shown = new Set<ThreadId>()
    for (const message of messages) {
      const thread = threads.get(current.get(message.threadId) ?? message.threadId)
      if (thread === undefined) continue
      threads.set(thread.id, withShownMessage(thread, message))
      shown.add(thread.id)
    }
    yield* store.save([...shown].flatMap((id) => threads.get(id) ?? []))
  })

const placing = (
  store: Context.Tag.Service<ThreadStore>,
  moveLater: (thread: ThreadRecord) => Effect.Effect<void>,
  found: ReadonlyArray<ThreadLink>,
  known: ReadonlyArray<ThreadRecord>,
): Placing => {
  const threads = new Map(known.map((thread) => [thread.id, thread]))
  const stored = new Map(known.map((thread) => [thread.id, thread]))
  const links = new Map(found.map((link) => [keyOf(link.mailboxId, link.rfcId), link.threadId]))
  const placed = new Map<Threadable, ThreadId>()
  const absorbedBy = new Map<ThreadId, ThreadId>()
  const changed = new Set<ThreadId>()
  const newLinks = new Map<string, ThreadLink>()

  const resolve = (id: ThreadId): ThreadId => {
    const into = absorbedBy.get(id)
    return into === undefined ? id : resolve(into)
  }
  const threadAt = (id: ThreadId) => threads.get(resolve(id))

  const tiedTo = (message: Threadable): ReadonlyArray<ThreadRecord> => {
    const ids = threadingIds(message.links).map((rfcId) => links.get(keyOf(message.mailboxId, rfcId)))
    const tied = new Set(ids.flatMap((id) => (id === undefined ? [] : [threadAt(id)])))
    const probe = tied.size === 0 ? probeOf(message) : null
    if (probe !== null) {
      const others = new Set(probe.participants)
      const [newest] = [...threads.values()]
        .filter(
          (thread) =>
            thread.mailboxId === probe.mailboxId &&
            thread.baseSubject === probe.baseSubject &&
            thread.lastMessageAt >= probe.since &&
            thread.createdAt <= probe.until &&
            thread.participants.some((address) => others.has(address)),
        )
        .sort((a, b) => b.lastMessageAt - a.lastMessageAt)
      tied.add(newest)
    }
    return [...tied].filter((thread) => thread !== undefined)
  }

  const threadOf = (message: Threadable): ThreadId => {
    const id = placed.get(message)
    if (id === undefined) throw new Error("threadOf was called for a message that was not placed")
    return resolve(id)
  }

  const changedRows = () => [...changed].flatMap((id) => threads.get(id) ?? [])
  const storedUnions = () => [...absorbedBy.keys()].flatMap((id) => stored.get(id) ?? [])
  const freshLinks = () =>
    [...newLinks.values()].map((link) => ({ ...link, threadId: resolve(link.threadId) }))

  return {
    place: (message, fresh) => {
      const tied = tiedTo(message)
      const placement = place(tied)
      const id = placement.kind === "new" ? fresh : placement.thread
      let thread = tied.find((candidate) => candidate.id === id) ?? started(message, id)
      for (const other of tied) {
        if (other.id === id) continue
        thread = mergedThread(thread, other)
        absorbedBy.set(other.id, id)
        threads.delete(other.id)
        changed.delete(other.id)
      }
      threads.set(id, message.visible ? withShownMessage(thread, message) : thread)
      changed.add(id)
      placed.set(message, id)
      for (const rfcId of [...threadingIds(message.links), message.rfcId]) {
        const key = keyOf(message.mailboxId, rfcId)
        if (links.has(key)) continue
        links.set(key, id)
        newLinks.set(key, { mailboxId: message.mailboxId, rfcId, threadId: id })
      }
    },
    save: Effect.gen(function* () {
      const rows = changedRows()
      if (rows.length > 0) yield* store.save(rows)
      const unions = storedUnions()
      let left = MOVED_AT_ONCE
      for (const from of unions) {
        const moved = yield* store.absorb(from.id, resolve(from.id), left)
        left = Math.max(0, left - moved.rows)
        if (!moved.done) yield* moveLater(from)
      }
      // `absorb` added up the stored counts; these rows also include the messages of this batch.
      if (unions.length > 0) yield* store.save(rows)
      const fresh = freshLinks()
      if (fresh.length > 0) yield* store.link(fresh)
    }),
    changes: () =>
      storedUnions().length > 0
        ? Option.none()
        : Option.some({ threads: changedRows(), links: freshLinks() }),
    threadOf,
    recordOf: (message) => {
      const thread = threads.get(threadOf(message))
      if (thread === undefined) throw new Error("a placed message has no thread")
      return thread
    },
  }
}
