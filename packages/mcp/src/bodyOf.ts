/** The arguments of the tools that write mail, as the service takes them. */
interface File {
  readonly id?: string | undefined
  readonly filename?: string | undefined
  readonly text?: string | undefined
  readonly contentType?: string | undefined
}

/** Arguments that are written as the body of the service has them. */
export const bodyOf = <
  F extends {
    readonly text?: string | undefined
    readonly html?: string | undefined
    readonly attachments?: ReadonlyArray<File> | undefined
  },
>({
  text,
  html,
  attachments,
  ...rest
}: F) => ({
  ...rest,
  ...(text !== undefined && { bodyText: text }),
  ...(html !== undefined && { bodyHtml: html }),
  ...(attachments !== undefined && {
    attachments: attachments.map(
      ({ id, filename = "", text: written = "", contentType = "text/plain" }) =>
        id ?? { filename, contentType, content: Buffer.from(written).toString("base64") },
    ),
  }),
})
