/** The DNS records of a domain: what to copy, whether it was found, and what to do when it was not. */
import type { DnsRecords } from "@mailroom/client"
import type { JSX } from "preact"
import { CopyField } from "../../components/Copy.js"
import { Badge } from "../../components/Notice.js"
import { recordAdvice, recordState, type ShownRecord, shownRecords } from "../../rules/domains.js"

const Record = ({ shown, domain }: { shown: ShownRecord; domain: string }): JSX.Element => {
  const { purpose, name, does, record, isRequired } = shown
  const { tone, label } = recordState(record.state)
  const advice = recordAdvice(purpose, record, domain)
  return (
    <li class="record">
      <header class="record-head">
        <h3>{name}</h3>
        <span class="faint">{does}</span>
        <Badge tone={!isRequired && record.state === "MISSING" ? "neutral" : tone}>{label}</Badge>
      </header>
      <dl class="record-fields">
        <div>
          <dt>Type</dt>
          <dd>
            <code>{record.type}</code>
          </dd>
        </div>
        {record.priority !== undefined && (
          <div>
            <dt>Priority</dt>
            <dd>
              <code>{record.priority}</code>
            </dd>
          </div>
        )}
        <div class="record-wide">
          <dt>Name</dt>
          <dd>
            <CopyField label={`name of the ${name} record`} text={record.host} />
          </dd>
        </div>
        <div class="record-wide">
          <dt>Value</dt>
          <dd>
            <CopyField label={`value of the ${name} record`} text={record.value} />
          </dd>
        </div>
      </dl>
      {advice !== null && (
        <p class={record.state === "INVALID" ? "record-advice bad" : "record-advice"}>{advice}</p>
      )}
    </li>
  )
}

export const Records = ({ records, domain }: { records: DnsRecords; domain: string }): JSX.Element => (
  <ul class="records">
    {shownRecords(records).map((shown) => (
      <Record key={shown.key} shown={shown} domain={domain} />
    ))}
  </ul>
)
