/** The result of a call, and how large it may be. */
import type { CallToolResult, ResourceLink } from "@modelcontextprotocol/server"

/** Bytes of a result as JSON, unless the call asks for more text. What the protocol adds makes it less than 20,000. */
const RESULT_MAX_BYTES = 19_500

/** Fields of a result. `content` is text that others wrote, in its fence. */
export interface Fields {
  readonly content?: string | undefined
}

export interface Outcome<F> {
  readonly fields: F
  /** attachments, as links to resources */
  readonly links?: ReadonlyArray<ResourceLink>
}

/** Some clients show a model the text, others the structured content: each has everything. */
export const resultOf = ({ fields, links = [] }: Outcome<Fields>): CallToolResult => {
  const { content, ...rest } = fields
  const text = JSON.stringify(rest)
  return {
    structuredContent: { ...fields },
    content: [{ type: "text", text: content === undefined ? text : `${text}\n${content}` }, ...links],
  }
}

/** The outcome with `most` entries, or with the half of them, and so on, until it is not too large. */
export const fitting = async <O extends Outcome<Fields>>(
  most: number,
  make: (count: number) => Promise<O>,
): Promise<O> => {
  for (let count = most; ; count = Math.ceil(count / 2)) {
    const outcome = await make(count)
    const bytes = Buffer.byteLength(JSON.stringify(resultOf(outcome)))
    if (count === 1 || bytes <= RESULT_MAX_BYTES) return outcome
  }
}
