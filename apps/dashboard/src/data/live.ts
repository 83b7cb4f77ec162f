/**
 * The events of the account as they happen. All tabs of a browser share one stream, because an account has five: the tab that
 * has the lock reads it and tells the others. A tab that was hidden for long leaves it to others and catches up when it is
 * shown again.
 */
import type { EventKind, MailroomEvent } from "@mailroom/client"
import { computed, effect, signal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { mailroom } from "./client.js"
import { account } from "./session.js"

/** Milliseconds after which a hidden tab stops reading. */
const HIDDEN_LONG = 5 * 60_000

type Status = "off" | "waiting" | "open" | "lost"

/** `waiting`: another tab reads. `lost`: the connection is opened again soon. */
export const liveStatus = signal<Status>("off")

type Listener = (event: MailroomEvent) => void

const listeners = new Set<Listener>()
let lastSeen: string | undefined

const deliver = (event: MailroomEvent): void => {
  lastSeen = event.id
  for (const listener of listeners) listener(event)
}

const channelName = (accountId: string): string => `mailroom.events.${accountId}`

/** Reads the stream until the signal ends it, or an error that time does not heal. */
const follow = async (accountId: string, signal: AbortSignal): Promise<void> => {
  const channel = new BroadcastChannel(channelName(accountId))
  liveStatus.value = "open"
  try {
    const events = mailroom.events({
      after: lastSeen,
      signal,
      onDisconnect: () => {
        liveStatus.value = "lost"
      },
    })
    for await (const event of events) {
      liveStatus.value = "open"
      channel.postMessage(event)
      deliver(event)
    }
  } catch {
    // Such as a suspended account, which has no stream. Pages show what they load.
    liveStatus.value = "off"
  } finally {
    channel.close()
  }
}

/** Waits for the lock of the stream and reads; without locks (no TLS) each tab reads for itself. */
const takePart = async (accountId: string, signal: AbortSignal): Promise<void> => {
  const channel = new BroadcastChannel(channelName(accountId))
  channel.addEventListener("message", ({ data }: MessageEvent<MailroomEvent>) => deliver(data))
  signal.addEventListener("abort", () => channel.close())
  if (!("locks" in navigator)) return follow(accountId, signal)
  liveStatus.value = "waiting"
  try {
    await navigator.locks.request(channelName(accountId), { signal }, () => follow(accountId, signal))
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
    return () => {
      controller.abort()
      liveStatus.value = "off"
    }
  })
  effect(() => {
    // The position belongs to the account.
    if (account.value === null) lastSeen = undefined
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
 * flood of mail costs a request every two seconds.
 */
export const useLiveRefresh = (kinds: ReadonlyArray<EventKind>, refresh: () => Promise<void>): void => {
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
  useLive(kinds, () => {
    if (state.current === "calm") void run()
    else state.current = "due"
  })
}
