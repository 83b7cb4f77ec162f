/** Visits on a slow phone, and what the browser measured of them. */
import type { BrowserContext, Page } from "@mailroom/test-services/browser"
import { expect } from "vitest"

type DevTools = Awaited<ReturnType<BrowserContext["newCDPSession"]>>

/** A phone of the lower third on a slow mobile network. */
export const slowPhone = {
  width: 390,
  height: 844,
  /** how many times slower than this machine */
  cpu: 4,
  /** bits in a second, each way */
  bits: 1_600_000,
  /** milliseconds of a round trip */
  latency: 150,
} as const

export interface Speed {
  /** milliseconds from the start of the visit */
  readonly firstPaint: number
  readonly largestPaint: number
  /** what the page is for is painted, and the page answers */
  readonly usable: number
  /** milliseconds beyond 50 of each long task */
  readonly blocked: number
  /** sum of the layout shifts */
  readonly shift: number
  /** bytes that came, with their heads */
  readonly bytes: number
}

/** In the page, from its first moment on: the text of a script, because tests have no types of a page. */
const watch = (selector: string) => `
  const seen = globalThis.seen = { firstPaint: 0, largestPaint: 0, usable: 0, blocked: 0, shift: 0, shifted: [] }
  const on = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true })
  on("paint", (entry) => { if (entry.name === "first-contentful-paint") seen.firstPaint = entry.startTime })
  on("largest-contentful-paint", (entry) => { seen.largestPaint = entry.startTime })
  on("longtask", (entry) => { seen.blocked += entry.duration - 50 })
  on("layout-shift", (entry) => {
    if (entry.hadRecentInput) return
    seen.shift += entry.value
    seen.shifted.push(...entry.sources.map(({ node }) => String(node?.className ?? node?.nodeName)))
  })
  globalThis.whenUsable = new Promise((done) => {
    const look = new MutationObserver(() => {
      if (document.querySelector(${JSON.stringify(selector)}) === null) return
      look.disconnect()
      // After the next paint, as a task of its own: the page answers then.
      requestAnimationFrame(() => setTimeout(() => done(seen.usable = performance.now())))
    })
    look.observe(document, { childList: true, subtree: true })
  })`

export const slowProcessor = (tools: DevTools): Promise<unknown> =>
  tools.send("Emulation.setCPUThrottlingRate", { rate: slowPhone.cpu })

const slowNetwork = async (tools: DevTools): Promise<void> => {
  const throughput = slowPhone.bits / 8
  await tools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: slowPhone.latency,
    downloadThroughput: throughput,
    uploadThroughput: throughput,
  })
}

/** Counts the bytes of a page, and the requests that have not ended; that of the event stream never does. */
const observeNetwork = (page: Page, tools: DevTools) => {
  const network = { bytes: 0, open: new Set<object>(), asked: new Array<string>() }
  tools.on("Network.loadingFinished", ({ encodedDataLength }) => (network.bytes += encodedDataLength))
  page.on("request", (request) => {
    network.asked.push(request.url())
    if (new URL(request.url()).pathname !== "/v1/events") network.open.add(request)
  })
  page.on("requestfinished", (request) => network.open.delete(request))
  page.on("requestfailed", (request) => network.open.delete(request))
  return network
}

interface Opened {
  readonly page: Page
  readonly speed: Speed
  /** what was moved by layout shifts: the class or the name of each element */
  readonly shifted: ReadonlyArray<string>
  /** the URL of each request */
  readonly asked: ReadonlyArray<string>
}

/** Opens a page with nothing in the cache. `selector`: what is there once the page can be used. */
export const openMeasured = async (
  context: BrowserContext,
  path: string,
  selector: string,
  slow: boolean,
): Promise<Opened> => {
  const page = await context.newPage()
  const tools = await context.newCDPSession(page)
  await tools.send("Network.enable")
  if (slow) {
    await slowNetwork(tools)
    await slowProcessor(tools)
  }
  const network = observeNetwork(page, tools)
  await page.addInitScript(watch(selector))
  await page.goto(path)
  await page.evaluate("whenUsable")
  await expect.poll(() => network.open.size).toBe(0)
  // What came last is painted, too.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
  const { shifted, ...seen } = await page.evaluate<Omit<Speed, "bytes"> & Pick<Opened, "shifted">>("seen")
  return { page, shifted, asked: network.asked, speed: { ...seen, bytes: network.bytes } }
}

export interface Scrolled {
  readonly frames: number
  /** frames of the display, 60 in a second, in which nothing new was shown */
  readonly dropped: number
  /** milliseconds of the longest task; 0 when none took 50 */
  readonly longest: number
}

/** Scrolls the list in a page to its end, by so many pixels in each frame. A list that grows is followed. */
export const scrollToEnd = (page: Page, last: number, pixels: number): Promise<Scrolled> =>
  page.evaluate<Scrolled>(`new Promise((done) => {
    const list = document.querySelector(".virtual-list")
    const seen = { frames: 0, dropped: 0, longest: 0 }
    const tasks = new PerformanceObserver((all) => {
      for (const { duration } of all.getEntries()) seen.longest = Math.max(seen.longest, duration)
    })
    tasks.observe({ type: "longtask" })
    let before = performance.now()
    const next = (now) => {
      seen.frames++
      seen.dropped += Math.max(0, Math.round((now - before) * 60 / 1000) - 1)
      before = now
      if (list.querySelector('[aria-posinset="${last}"]') === null) {
        list.scrollTop += ${pixels}
        requestAnimationFrame(next)
      } else setTimeout(() => done(seen))
    }
    requestAnimationFrame(next)
  })`)
