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
import { fillFrame } from "./fillFrame.js"
import type { FrameProps } from "./HtmlMail.js"

const noImage = () => Promise.resolve(null)

export const HtmlFrame = (props: FrameProps): JSX.Element => {
  const { html, label, sender = null, inlineImage = noImage, onShown, onLost } = props
  const [hasImages, setImages] = useState(() => sender !== null && hasAllowedImages(sender))
  const [loads, setLoads] = useState(0)
  const [height, setHeight] = useState<number | null>(null)
  const [isWhole, setWhole] = useState(false)
  const [remoteImages, setRemoteImages] = useState(0)
  const frame = useRef<HTMLIFrameElement>(null)
  const find = useRef(inlineImage)
  find.current = inlineImage

  useEffect(() => {
    if (loads === 0 || frame.current === null) return undefined
    try {
      const { remoteImages: found, end } = fillFrame(frame.current, {
        html,
        remoteImages: hasImages,
        inlineImage: (contentId, signal) => find.current(contentId, signal),
        onHeight: setHeight,
        onEnd: () => setWhole(true),
      })
      setRemoteImages(found)
      return end
    } catch {
      // Such as a frame that shows why its document could not be loaded.
      onLost()
      return undefined
    }
    // The frame loads anew with `hasImages`, because its policy changes.
  }, [loads, html])

  useEffect(() => {
    if (isWhole) onShown?.()
  }, [isWhole])

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
