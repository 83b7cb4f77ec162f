/**
 * The events of the account as they happen. All tabs of a browser share one stream, because an account has five: the tab that
 * has the lock reads it and tells the others. A tab that was hidden for long leaves it to others and catches up when it is
 * shown again.
 */
import type { EventKind, MailroomEvent } from "@mailroom/client"
import { computed, effect, signal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { mailroom } from "./client.js"
import { EventFeed, type Position } from "./EventFeed.js"
import { account } from "./session.js"

/** Milliseconds after which a hidden tab stops reading. */
const HIDDEN_LONG = 5 * 60_000

/** The connection is lost. It is opened again soon. */
export const isDisconnected = signal(false)

type Listener = (event: MailroomEvent) => void

const listeners = new Set<Listener>()

const publish: Listener = (event) => {
  for (const listener of listeners) listener(event)
}

/** How far this tab has seen the events of an account; null while nobody is signed in. */
let seen: { readonly accountId: string; readonly position: Position } | null = null

const positionOf = (accountId: string): Position => {
  if (seen?.accountId !== accountId) seen = { accountId, position: { id: undefined } }
  return seen.position
}

/** Reads the stream until the signal ends it, or an error that time does not heal. */
const follow = async (feed: EventFeed, tell: Listener, signal: AbortSignal): Promise<void> => {
  try {
    const events = mailroom.events({
      cursor: feed.cursor,
      signal,
      onConnect: () => {
        isDisconnected.value = false
      },
      onDisconnect: () => {
        isDisconnected.value = true
      },
    })
    for await (const event of events) {
      tell(event)
      feed.take(event)
    }
  } catch {
    // Such as a suspended account, which has no stream. Pages show what they load.
  }
  isDisconnected.value = false
}

/**
 * Catches up, then waits for the lock of the stream and reads it. Until then it hears of events from the tab that has the lock.
 * Without locks (no TLS) each tab reads for itself.
 */
const takePart = async (accountId: string, signal: AbortSignal): Promise<void> => {
  const feed = new EventFeed(mailroom.events.log, positionOf(accountId), publish, signal)
  if (!("locks" in navigator)) return follow(feed, () => undefined, signal)
  const name = `mailroom.events.${accountId}`
  const channel = new BroadcastChannel(name)
  channel.addEventListener("message", ({ data }: MessageEvent<MailroomEvent>) => feed.hear(data))
  signal.addEventListener("abort", () => channel.close())
  await feed.catchUp()
  try {
    await navigator.locks.request(name, { signal }, () =>
      follow(feed, (event) => channel.postMessage(event), signal),
    )
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

const isShown = signal(true)

const watchVisibility = (): void => {
  let timer: ReturnType<typeof setTimeout> | undefined
  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer)
    if (document.visibilityState === "visible") isShown.value = true
    else timer = setTimeout(() => (isShown.value = false), HIDDEN_LONG)
  })
}

/** Follows the events while somebody is signed in. Called once. */
export const startLive = (): void => {
  watchVisibility()
  const wanted = computed(() => (isShown.value ? (account.value?.id ?? null) : null))
  effect(() => {
    const accountId = wanted.value
    if (accountId === null) return undefined
    const controller = new AbortController()
    void takePart(accountId, controller.signal)
    return () => controller.abort()
  })
  effect(() => {
    // The position belongs to the account.
    if (account.value === null) seen = null
  })
}

/** Calls the listener with each event of these kinds while the component is there. */
export const useLive = (kinds: ReadonlyArray<EventKind>, listener: Listener): void => {
  const latest = useRef(listener)
  latest.current = listener
  const wanted = kinds.join(",")
  useEffect(() => {
    const names = new Set(wanted.split(","))
    const listen: Listener = (event) => {
      if (names.has(event.event)) latest.current(event)
    }
    listeners.add(listen)
    return () => void listeners.delete(listen)
  }, [wanted])
}

/** Milliseconds between two refreshes of the same thing. */
const REFRESH_PAUSE = 2_000

/**
 * Loads something anew after events of these kinds: at once after the first, then once for all events of a pause, so that a
 * flood of mail costs a request every two seconds. `isMine`: whether an event changes what is shown.
 */
export const useLiveRefresh = (
  kinds: ReadonlyArray<EventKind>,
  refresh: () => Promise<unknown>,
  isMine: (event: MailroomEvent) => boolean = () => true,
): void => {
  const state = useRef<"calm" | "busy" | "due">("calm")
  const latest = useRef(refresh)
  latest.current = refresh
  const run = async (): Promise<void> => {
    state.current = "busy"
    // Where it fails, the next event, or the reader, tries again.
    await latest.current().catch(() => undefined)
    setTimeout(() => {
      const isDue = state.current === "due"
      state.current = "calm"
      if (isDue) void run()
    }, REFRESH_PAUSE)
  }
  // Who has left asks for nothing more.
  useEffect(
    () => () => {
      state.current = "calm"
    },
    [],
  )
  useLive(kinds, (event) => {
    if (!isMine(event)) return
    if (state.current === "calm") void run()
    else state.current = "due"
  })
}
