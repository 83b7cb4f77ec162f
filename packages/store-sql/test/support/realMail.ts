/** Mails of a folder of your own, for searches among what people really write: `MAIL_CORPUS` names it. */
import type { MessageContent } from "@mailroom/domain"
import { type AddressObject, simpleParser } from "mailparser"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

/** The parts of a message that search reads. */
export type RealMail = Pick<
  MessageContent,
  "subject" | "fromName" | "fromAddress" | "toAddresses" | "ccAddresses" | "bodyText" | "bodyHtml"
>

const addressesIn = (
  field: AddressObject | ReadonlyArray<AddressObject> | undefined,
): ReadonlyArray<string> =>
  [field ?? []].flat().flatMap(({ value }) => value.flatMap(({ address }) => address ?? []))

const read = async (path: string): Promise<RealMail> => {
  const { subject, from, to, cc, text, html } = await simpleParser(readFileSync(path))
  return {
    subject: subject ?? "",
    fromName: from?.value[0]?.name ?? null,
    fromAddress: from?.value[0]?.address ?? "",
    toAddresses: addressesIn(to),
    ccAddresses: addressesIn(cc),
    bodyText: text ?? null,
    bodyHtml: html === false ? null : html,
  }
}

/** Every mail below `folder`, in the order of their names. */
export const realMails = (folder: string): Promise<ReadonlyArray<RealMail>> =>
  Promise.all(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .sort()
      .map((name) => join(folder, name))
      .filter((path) => /\.(?:eml|msg)$/i.test(path) && statSync(path).isFile())
      .map(read),
  )

/** Words of the mails that a query can name: neither quotes nor parentheses. */
export const wordsOf = (mails: ReadonlyArray<RealMail>): ReadonlyArray<string> => [
  ...new Set(
    mails.flatMap(({ subject, bodyText, fromName, fromAddress }) =>
      [subject, bodyText, fromName, fromAddress].flatMap((text) => text?.match(/[^\s"()]{1,40}/gu) ?? []),
    ),
  ),
]
