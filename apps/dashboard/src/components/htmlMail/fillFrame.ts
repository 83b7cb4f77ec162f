/** Puts a mail into its frame, and keeps the frame as high as the mail. */
import { sanitise } from "./sanitise.js"

/** The highest that a frame becomes, in pixels; what is below scrolls inside of it. */
const HEIGHT_MAX = 60_000

interface Filling {
  readonly html: string
  readonly remoteImages: boolean
  /** the file of the mail with a Content-ID; null when there is none */
  readonly inlineImage: (contentId: string) => Promise<Blob | null>
  readonly onHeight: (pixels: number) => void
}

export interface Filled {
  /** how many images of the mail are elsewhere */
  readonly remoteImages: number
  /** ends what keeps the height, and frees the pictures */
  readonly end: () => void
}

const followHeight = (frame: HTMLIFrameElement, content: HTMLElement, onHeight: (pixels: number) => void) => {
  const root = content.ownerDocument.documentElement
  const measure = () => {
    // A bar for scrolling to the side takes some of the height.
    const bar = frame.clientHeight - root.clientHeight
    const height = Math.ceil(content.getBoundingClientRect().height) + Math.max(0, bar)
    root.style.overflowY = height > HEIGHT_MAX ? "auto" : ""
    onHeight(Math.min(height, HEIGHT_MAX))
  }
  const observer = new ResizeObserver(measure)
  observer.observe(content)
  return () => observer.disconnect()
}

/** Fills a frame whose document is `/mail-frame`. */
export const fillFrame = (frame: HTMLIFrameElement, filling: Filling): Filled => {
  const { html, inlineImage, onHeight, ...options } = filling
  const document = frame.contentDocument
  const realm = document?.defaultView
  const main = document?.querySelector("main")
  if (!document || !realm || !main) throw new Error("The frame has no document for mail")
  const { body, inlineImages, remoteImages } = sanitise(html, { ...options, realm })
  // The whole body moves, with its colours: moving its children one by one takes minutes for 100,000 of them.
  main.replaceChildren(document.adoptNode(body))
  const stop = followHeight(frame, main, onHeight)

  const urls: Array<string> = []
  let isEnded = false
  const show = async (image: Element, contentId: string): Promise<void> => {
    const file = await inlineImage(contentId)
    if (file === null || isEnded) return
    const url = URL.createObjectURL(file)
    urls.push(url)
    image.setAttribute("src", url)
  }
  for (const { image, contentId } of inlineImages)
    // An image whose file cannot be loaded stays empty and shows its text.
    show(image, contentId).catch(() => undefined)
  return {
    remoteImages,
    end: () => {
      isEnded = true
      stop()
      for (const url of urls) URL.revokeObjectURL(url)
    },
  }
}
