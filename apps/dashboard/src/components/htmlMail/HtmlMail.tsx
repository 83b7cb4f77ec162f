/**
 * The HTML of a mail, in a frame in which nothing runs and which fetches nothing (docs/decisions/0077). Images from elsewhere are
 * shown when the reader asks for them: loading one tells its sender that the mail was read.
 */
import type { JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { allowImagesOf, hasAllowedImages } from "../../data/imageSenders.js"
import { countText } from "../../rules/texts.js"
import { Button } from "../Button.js"
import { Skeleton } from "../Notice.js"
import type { Filled } from "./fillFrame.js"

/**
 * Characters of HTML beyond which the text is shown until the reader asks for the HTML. Making the HTML harmless and laying it out takes
 * about a second for each million, in which the page stands still. Hardly any mail is longer: Gmail cuts off after 102 kB.
 */
const LARGE = 250_000

/** Characters of text that are shown before the reader asks for all. */
const TEXT_SHOWN = 100_000

export interface HtmlMailProps {
  readonly html: string
  /** the text of the same mail, in place of a very large HTML */
  readonly text?: string | null
  /** what the frame shows, for a screen reader: `Mail from ada@example.com` */
  readonly label: string
  /** a sender that is proven, whose images the reader may show always; null for any other */
  readonly sender?: string | null
  /** the file of the mail that an image names by its Content-ID; null when there is none */
  readonly inlineImage?: (contentId: string) => Promise<Blob | null>
  /** called when the HTML is there, with its height */
  readonly onShown?: () => void
}

const noImage = () => Promise.resolve(null)

const Frame = (props: HtmlMailProps): JSX.Element => {
  const { html, label, sender = null, inlineImage = noImage, onShown } = props
  const [hasImages, setImages] = useState(() => sender !== null && hasAllowedImages(sender))
  const [loads, setLoads] = useState(0)
  const [height, setHeight] = useState<number | null>(null)
  const [remoteImages, setRemoteImages] = useState(0)
  const frame = useRef<HTMLIFrameElement>(null)
  const find = useRef(inlineImage)
  find.current = inlineImage

  useEffect(() => {
    if (loads === 0) return undefined
    let filled: Filled | undefined
    let isLeft = false
    const fill = async () => {
      const { fillFrame } = await import("./fillFrame.js")
      if (isLeft || frame.current === null) return
      filled = fillFrame(frame.current, {
        html,
        remoteImages: hasImages,
        inlineImage: (contentId) => find.current(contentId),
        onHeight: setHeight,
      })
      setRemoteImages(filled.remoteImages)
    }
    void fill()
    return () => {
      isLeft = true
      filled?.end()
    }
    // The frame loads anew with `hasImages`, because its policy changes.
  }, [loads, html])

  const isShown = height !== null
  useEffect(() => {
    if (isShown) onShown?.()
  }, [isShown])

  return (
    <div class="html-mail">
      {remoteImages > 0 && !hasImages && (
        <div class="html-mail-images">
          <p>
            {countText(remoteImages, "image")} from elsewhere{" "}
            {remoteImages === 1 ? "is not loaded" : "are not loaded"}, so that the sender does not learn that
            you read this.
          </p>
          <Button size="small" onClick={() => setImages(true)}>
            Show images
          </Button>
          {sender !== null && (
            <Button
              size="small"
              kind="quiet"
              onClick={() => {
                allowImagesOf(sender)
                setImages(true)
              }}
            >
              Always from {sender}
            </Button>
          )}
        </div>
      )}
      <div class="html-mail-sheet">
        {height === null && (
          <div class="html-mail-wait">
            <Skeleton lines={4} />
          </div>
        )}
        <iframe
          ref={frame}
          class="html-mail-frame"
          title={label}
          src={hasImages ? "/mail-frame?images=remote" : "/mail-frame"}
          sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
          referrerpolicy="no-referrer"
          style={{ height: `${height ?? 120}px` }}
          onLoad={() => setLoads((count) => count + 1)}
        />
      </div>
    </div>
  )
}

export const HtmlMail = (props: HtmlMailProps): JSX.Element => {
  const { html, text = null } = props
  const [isAsked, setAsked] = useState(false)
  if (html.length <= LARGE || isAsked) return <Frame {...props} />
  return (
    <div class="html-mail">
      <div class="html-mail-images">
        <p>This mail is very long. Its text is shown; the formatted mail may take some seconds.</p>
        <Button size="small" onClick={() => setAsked(true)}>
          Show the HTML
        </Button>
      </div>
      <PlainMail text={text ?? ""} />
    </div>
  )
}

/** The text of a mail, in its own direction. */
export const PlainMail = ({ text }: { text: string }): JSX.Element => {
  const [isWhole, setWhole] = useState(text.length <= TEXT_SHOWN)
  return (
    <>
      <div class="plain-mail" dir="auto">
        {(isWhole ? text : text.slice(0, TEXT_SHOWN)).trimEnd()}
      </div>
      {!isWhole && (
        <Button size="small" onClick={() => setWhole(true)}>
          Show the rest of the text
        </Button>
      )}
    </>
  )
}
