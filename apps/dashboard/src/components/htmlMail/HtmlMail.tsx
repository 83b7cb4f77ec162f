/** The body of a mail: its HTML, in a frame that is loaded when the first mail is opened, or its text. */
import type { ComponentType, JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Button } from "../Button.js"
import { Lost } from "../Loaded.js"
import { Skeleton } from "../Notice.js"

/**
 * Characters of HTML beyond which the text is shown until the reader asks for the HTML. Making the HTML harmless and laying it out takes
 * about a second for each million, in which the page stands still. Hardly any mail is longer: Gmail cuts off after 102 kB.
 */
const LARGE = 250_000

/** Characters of text that are shown before the reader asks for all. */
const TEXT_SHOWN = 100_000

export interface HtmlMailProps {
  readonly html: string
  /** the text of the same mail, in place of a very large HTML and of one that cannot be shown */
  readonly text?: string | null
  /** what the frame shows, for a screen reader: `Mail from ada@example.com` */
  readonly label: string
  /** a sender that is proven, whose images the reader may show always; null for any other */
  readonly sender?: string | null
  /** the file of the mail that an image names by its Content-ID, loaded until the signal; null when there is none */
  readonly inlineImage?: (contentId: string, signal: AbortSignal) => Promise<Blob | null>
  /** called when the HTML is there and nothing of it is left to scroll to inside of its frame */
  readonly onShown?: () => void
}

export interface FrameProps extends HtmlMailProps {
  /** called when the frame cannot show the HTML */
  readonly onLost: () => void
}

/** The frame that was loaded, which then appears at once. */
let loaded: ComponentType<FrameProps> | undefined

const Frame = (props: HtmlMailProps): JSX.Element => {
  const [Found, setFound] = useState(() => loaded)
  const [isLost, setLost] = useState(false)
  const lose = () => setLost(true)
  useEffect(() => {
    const open = async () => {
      const { HtmlFrame } = await import("./HtmlFrame.js")
      loaded = HtmlFrame
      setFound(() => HtmlFrame)
    }
    open().catch(lose)
  }, [])
  if (isLost)
    return (
      <>
        <Lost what="The formatted mail" />
        <PlainMail text={props.text ?? ""} />
      </>
    )
  return Found === undefined ? <Skeleton lines={4} /> : <Found {...props} onLost={lose} />
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
