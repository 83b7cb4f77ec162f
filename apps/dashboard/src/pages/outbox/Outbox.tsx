/** The development outbox: what would have been sent. Only browsers on the service's own machine see it. */
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { place, setQuery } from "../../app/router.js"
import { Dialog } from "../../components/Dialog.js"
import { HtmlMail, PlainMail } from "../../components/htmlMail/HtmlMail.js"
import { Loaded } from "../../components/Loaded.js"
import { Empty, Notice, Skeleton } from "../../components/Notice.js"
import { Card, Facts, PageHead } from "../../components/Page.js"
import { SearchBox } from "../../components/SearchBox.js"
import { Tabs } from "../../components/Tabs.js"
import { Bytes, Time } from "../../components/Values.js"
import { VirtualList } from "../../components/VirtualList.js"
import { useLiveRefresh } from "../../data/live.js"
import { type CapturedMail, outbox } from "../../data/outbox.js"
import { usePolling } from "../../data/polling.js"
import { useResource } from "../../data/resource.js"

const ROW = 58
/** Milliseconds between two looks: mail of other accounts has no event here. */
const LOOK_EVERY = 5_000

/** The sender that the reader would see: the From header, not the return path. */
const fromOf = ({ headers, from }: CapturedMail): string => {
  const header = headers["from"]
  return typeof header === "string" ? header : from
}

/** The text first: it has the links that people look for. */
const Body = ({ html, text }: CapturedMail): JSX.Element =>
  html === null ? (
    <PlainMail text={text ?? "This mail has no text."} />
  ) : (
    <Tabs
      label="How to show the mail"
      tabs={[
        { name: "text", label: "Text", content: () => <PlainMail text={text ?? ""} /> },
        {
          name: "mail",
          label: "Formatted",
          content: () => <HtmlMail html={html} text={text} label="Captured mail" />,
        },
      ]}
    />
  )

const Mail = ({ mail, onClose }: { mail: CapturedMail; onClose: () => void }): JSX.Element => (
  <Dialog title={mail.subject === "" ? "No subject" : mail.subject} onClose={onClose} wide>
    <div class="stack">
      <Facts
        facts={[
          { name: "From", value: fromOf(mail) },
          { name: "To", value: mail.to.join(", ") },
          { name: "Captured", value: <Time at={mail.capturedAt} /> },
          ...mail.attachments.map(({ filename, contentType, sizeBytes }) => ({
            name: filename,
            value: (
              <>
                {contentType}, <Bytes value={sizeBytes} />
              </>
            ),
          })),
        ]}
      />
      <Body {...mail} />
    </div>
  </Dialog>
)

export const Page = (): JSX.Element => {
  const to = place.value.query.get("to") ?? ""
  const found = useResource(outbox, to)
  const [open, setOpen] = useState<CapturedMail | null>(null)
  useLiveRefresh(["message.sent"], found.refresh)
  usePolling(!found.isLoading, LOOK_EVERY, found.reload)
  return (
    <>
      <PageHead title="Outbox">
        Mail that would have been sent. This service has no relay, so it keeps the mail here, of all accounts.
      </PageHead>
      <Notice kind="neutral">Only browsers on the machine of the service see this page.</Notice>
      <SearchBox
        label="Find a recipient"
        placeholder="name@example.com"
        value={to}
        onSearch={(text) => setQuery({ to: text === "" ? null : text })}
      />
      <Card flush>
        <Loaded resource={found} skeleton={<Skeleton lines={6} tall />}>
          {(mails) =>
            mails.length === 0 ? (
              <Empty icon="send" title="Nothing was sent yet">
                <p>Send a mail by the API, or sign up: the verification mail comes here.</p>
              </Empty>
            ) : (
              <VirtualList
                label="Captured mail"
                items={mails}
                keyOf={({ id }) => id}
                estimate={ROW}
                onOpen={setOpen}
              >
                {(mail) => (
                  <div class="list-row pressable">
                    <div class="list-row-main">
                      <strong class="clip" dir="auto">
                        {mail.subject === "" ? "No subject" : mail.subject}
                      </strong>
                      <span class="faint clip">
                        {fromOf(mail)} → {mail.to.join(", ")}
                      </span>
                    </div>
                    <span class="faint">
                      <Time at={mail.capturedAt} />
                    </span>
                  </div>
                )}
              </VirtualList>
            )
          }
        </Loaded>
      </Card>
      {open !== null && <Mail mail={open} onClose={() => setOpen(null)} />}
    </>
  )
}
