/** The ids of headings, as GitHub makes them, so that a link works in the repository and on the site. */
export const slugs = (): ((heading: string) => string) => {
  const used = new Map<string, number>()
  return (heading) => {
    const base = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replace(/ /g, "-")
    const count = used.get(base) ?? 0
    used.set(base, count + 1)
    return count === 0 ? base : `${base}-${count}`
  }
}
