/** Puts a mail into its frame, and keeps the frame as high as the mail. */
import { sanitise } from "./sanitise.js"

/** The highest that a frame becomes, in pixels; what is below is reached by scrolling inside of it. */
const HEIGHT_MAX = 60_000

interface Filling {
  readonly html: string
  readonly remoteImages: boolean
  /** the file of the mail with a Content-ID; null when there is none */
  readonly inlineImage: (contentId: string, signal: AbortSignal) => Promise<Blob | null>
  readonly onHeight: (pixels: number) => void
  /** called when the frame, or its reader by scrolling inside of it, has reached the end of the mail */
  readonly onEnd: () => void
}

export interface Filled {
  /** how many images of the mail are elsewhere */
  readonly remoteImages: number
  /** ends what keeps the height and the loads of pictures, and frees the pictures */
  readonly end: () => void
}

const followHeight = (
  frame: HTMLIFrameElement,
  content: HTMLElement,
  { onHeight, onEnd }: Pick<Filling, "onHeight" | "onEnd">,
  signal: AbortSignal,
): void => {
  const { ownerDocument: document } = content
  const root = document.documentElement
  const measure = () => {
    // A bar for scrolling to the side takes some of the height.
    const bar = Math.max(0, frame.clientHeight - root.clientHeight)
    // What leaves its box, such as by `position: absolute`, is in the scroll height alone.
    const wanted = Math.max(Math.ceil(content.getBoundingClientRect().height), content.scrollHeight) + bar
    const height = Math.min(wanted, HEIGHT_MAX)
    onHeight(height)
    // The frame takes the height later, and is measured again then.
    if (frame.clientHeight < height) return
    if (root.scrollHeight > root.clientHeight) root.style.overflowY = "auto"
    if (root.scrollTop + root.clientHeight >= root.scrollHeight - 1) onEnd()
  }
  const observer = new ResizeObserver(measure)
  observer.observe(content)
  // What is loaded or opened outside of its box does not resize the content.
  for (const event of ["load", "toggle", "scroll"])
    document.addEventListener(event, measure, { capture: true, signal })
  document.defaultView?.addEventListener("resize", measure, { signal })
  signal.addEventListener("abort", () => observer.disconnect())
}

/** Fills a frame whose document is `/mail-frame`. */
export const fillFrame = (frame: HTMLIFrameElement, filling: Filling): Filled => {
  const { html, inlineImage, ...options } = filling
  const document = frame.contentDocument
  const realm = document?.defaultView
  const main = document?.querySelector("main")
  if (!document || !realm || !main) throw new Error("The frame has no document for mail")
  const { body, inlineImages, remoteImages } = sanitise(html, { ...options, realm })
  // The whole body moves, with its colours: moving its children one by one takes minutes for 100,000 of them.
  main.replaceChildren(document.adoptNode(body))
  const leaving = new AbortController()
  const { signal } = leaving
  followHeight(frame, main, filling, signal)

  const urls: Array<string> = []
  const load = async (contentId: string): Promise<string | null> => {
    const file = await inlineImage(contentId, signal)
    if (file === null || signal.aborted) return null
    const url = URL.createObjectURL(file)
    urls.push(url)
    return url
  }
  // A mail may show the same file thousands of times.
  const loads = new Map<string, Promise<string | null>>()
  const show = async (image: Element, contentId: string): Promise<void> => {
    const loading = loads.get(contentId) ?? load(contentId)
    loads.set(contentId, loading)
    const url = await loading
    if (url !== null) image.setAttribute("src", url)
  }
  for (const { image, contentId } of inlineImages)
    // An image whose file cannot be loaded stays empty and shows its text.
    show(image, contentId).catch(() => undefined)
  return {
    remoteImages,
    end: () => {
      leaving.abort()
      for (const url of urls) URL.revokeObjectURL(url)
    },
  }
}
