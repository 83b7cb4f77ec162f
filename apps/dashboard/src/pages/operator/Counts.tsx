/** What the relay, webhooks and clients answered, by outcome. */
import type { JSX } from "preact"
import { Card } from "../../components/Page.js"
import { byLabel, type Sample } from "../../rules/counters.js"
import { numberText } from "../../rules/texts.js"

interface Section {
  readonly title: string
  readonly metric: string
  readonly label: string
  /** what to show while it counted nothing */
  readonly none: string
}

const sections: ReadonlyArray<Section> = [
  {
    title: "Relay answers",
    metric: "mailroom_relay_answers_total",
    label: "outcome",
    none: "No mail left yet.",
  },
  {
    title: "Reply codes of the relay",
    metric: "mailroom_relay_answers_total",
    label: "code",
    none: "No reply yet.",
  },
  {
    title: "Webhook answers",
    metric: "mailroom_webhook_attempts_total",
    label: "answer",
    none: "No event was posted yet.",
  },
  {
    title: "What became of sent mail",
    metric: "mailroom_mail_reports_total",
    label: "outcome",
    none: "No report came yet.",
  },
  {
    title: "Refused by SMTP",
    metric: "mailroom_mails_refused_total",
    label: "reply",
    none: "Nothing was refused.",
  },
  {
    title: "API responses",
    metric: "mailroom_http_requests_total",
    label: "status",
    none: "No request yet.",
  },
]

const SHOWN = 8

export const Counts = ({ samples }: { samples: ReadonlyArray<Sample> }): JSX.Element => (
  <div class="columns thirds">
    {sections.map(({ title, metric, label, none }) => {
      const values = byLabel(samples, metric, label)
      return (
        <Card key={title} title={title}>
          {values.length === 0 ? (
            <p class="faint">{none}</p>
          ) : (
            <dl class="facts">
              {values.slice(0, SHOWN).map((one) => (
                <div key={one.label}>
                  <dt>{one.label}</dt>
                  <dd>{numberText(one.value)}</dd>
                </div>
              ))}
            </dl>
          )}
        </Card>
      )
    })}
  </div>
)
