/** The Range header (RFC 9110 §14): one range of bytes; several are answered with the whole. */
import type { ByteRange } from "@mailroom/engine"

export const parseRange = (header: string | undefined, size: number): ByteRange | "unsatisfiable" | null => {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "")
  if (match === null) return null
  const [, first = "", last = ""] = match
  if (first === "" && last === "") return null
  // `-n` is the last n bytes.
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== "" && last !== "" && Number(last) < start) return null
  return start >= size || (first === "" && Number(last) === 0) ? "unsatisfiable" : { start, end }
}
