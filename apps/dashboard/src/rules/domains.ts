/** Custom domains and their DNS records in words, with what to do. */
import type { DnsRecord, DnsRecords, DnsRecordState, Domain } from "@mailroom/client"
import type { Tone } from "./tones.js"

export interface DomainWords {
  readonly tone: Tone
  readonly label: string
  readonly text: string
}

export const domainState = ({ status }: Pick<Domain, "status">): DomainWords => {
  switch (status) {
    case "VERIFIED":
      return {
        tone: "good",
        label: "Ready",
        text: "Mailboxes can use this domain. Keep the records as they are.",
      }
    case "PENDING_VERIFICATION":
      return {
        tone: "warn",
        label: "Waiting for DNS",
        text: "Copy the records to where your domain is managed. Mailroom looks every five minutes for three days; a new record can take some hours to be seen.",
      }
    case "FAILED":
      return {
        tone: "bad",
        label: "Not found",
        text: "The records were not found within three days. Set them, then check again.",
      }
  }
}

export type RecordPurpose = "mx" | "spf" | "dkim" | "dmarc"

const purposes: Readonly<Record<RecordPurpose, { readonly name: string; readonly does: string }>> = {
  mx: { name: "MX", does: "Brings mail for the domain to Mailroom" },
  spf: { name: "SPF", does: "Allows Mailroom to send for the domain" },
  dkim: { name: "DKIM", does: "Signs your mail, and proves that the domain is yours" },
  dmarc: { name: "DMARC", does: "Tells receivers what to do with forged mail. Recommended" },
}

export interface ShownRecord {
  readonly key: string
  readonly purpose: RecordPurpose
  readonly name: string
  readonly does: string
  readonly record: DnsRecord
  readonly isRequired: boolean
}

/** The records in the order in which they are set. A second DKIM record is the next key. */
export const shownRecords = ({ mx, spf, dkim, dmarc }: DnsRecords): ReadonlyArray<ShownRecord> => {
  const shown = (purpose: RecordPurpose, record: DnsRecord, key: string = purpose): ShownRecord => ({
    key,
    purpose,
    ...purposes[purpose],
    record,
    isRequired: purpose !== "dmarc",
  })
  return [
    shown("mx", mx),
    shown("spf", spf),
    ...dkim.map((record, index) => ({
      ...shown("dkim", record, `dkim${index}`),
      ...(index > 0 && {
        name: "DKIM, next key",
        does: "Signs once it is found. Keep the first for a week",
        isRequired: false,
      }),
    })),
    shown("dmarc", dmarc),
  ]
}

export const recordState = (state: DnsRecordState): { readonly tone: Tone; readonly label: string } => {
  switch (state) {
    case "VALID":
      return { tone: "good", label: "Found" }
    case "MISSING":
      return { tone: "neutral", label: "Not found yet" }
    case "INVALID":
      return { tone: "bad", label: "Different" }
  }
}

const wrongAdvice: Readonly<Record<RecordPurpose, string>> = {
  mx: "Another server gets this domain's mail. Remove the other MX records, or give this one the lowest number. Mind that mail then stops arriving at the other server.",
  spf: "There is an SPF record that does not name Mailroom, or there are several. Keep one, and add the include of the value above before its “all”.",
  dkim: "The record has another value. DNS editors sometimes cut long values or add quotes: copy it again as a whole.",
  dmarc:
    "There is a record without a policy that is known. It begins with v=DMARC1 and has p=none, p=quarantine or p=reject.",
}

/** What to do about a record; null when nothing is to be done. */
export const recordAdvice = (
  purpose: RecordPurpose,
  { state, host }: DnsRecord,
  domain: string,
): string | null => {
  if (state === "VALID") return null
  if (state === "INVALID") return wrongAdvice[purpose]
  const short = host === domain ? "@" : host.endsWith(`.${domain}`) ? host.slice(0, -domain.length - 1) : host
  return short === host ? null : `If your DNS editor adds ${domain} by itself, the name is ${short}.`
}

/** The records as lines of a zone file. */
export const zoneText = (records: DnsRecords): string =>
  shownRecords(records)
    .map(({ record: { host, type, priority, value } }) => {
      if (type === "MX") return `${host}. 3600 IN MX ${priority ?? 10} ${value.replace(/\.?$/, ".")}`
      const parts = value.match(/[\s\S]{1,255}/g) ?? [""]
      return `${host}. 3600 IN TXT ${parts.map((part) => JSON.stringify(part)).join(" ")}`
    })
    .join("\n")
