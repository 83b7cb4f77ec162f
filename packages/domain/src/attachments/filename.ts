/** File names that came from outside, made safe to show, to store and to put into a header. */

/**
 * A base name: no folder, no control character, no trick of direction, no half of a surrogate pair; at most 255
 * UTF-16 units; never empty.
 */
export const safeFilename = (name: string | null | undefined, fallback: string): string => {
  const base = (name ?? "")
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "")
    .replace(/^.*[/\\]/, "")
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .trim()
  if (base === "" || base === "." || base === "..") return fallback
  if (base.length <= 255) return base
  const dot = base.lastIndexOf(".")
  const extension = dot > 0 && base.length - dot <= 16 ? base.slice(dot) : ""
  return base.slice(0, 255 - extension.length).replace(/[\ud800-\udbff]$/, "") + extension
}
