/** Slugs: the permanent subdomain of an account. */

const SLUG = /^[a-z0-9](?:[a-z0-9-]{1,28}[a-z0-9])$/

/** What is wrong with a slug by its form, in words; null for nothing. */
export const slugProblem = (slug: string): string | null => {
  if (slug.length < 3 || slug.length > 30) return "3 to 30 characters."
  if (/^-|-$/.test(slug)) return "Neither the first nor the last is a hyphen."
  return SLUG.test(slug) ? null : "Lower-case letters, digits and hyphens only."
}

/** Providers whose domains say nothing about an organisation. */
const SHARED = new Set(
  "gmail googlemail outlook hotmail live icloud me yahoo proton protonmail gmx web fastmail hey aol mail".split(
    " ",
  ),
)

/** A slug for an owner's email: the organisation's domain, else the name before the @; empty when neither makes one yet. */
export const slugFor = (email: string): string => {
  const [name = "", domain = ""] = email.toLowerCase().split("@")
  if (!domain.includes(".")) return ""
  const organisation = domain.split(".").at(-2) ?? ""
  const wanted = organisation === "" || SHARED.has(organisation) ? name : organisation
  const slug = wanted
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 30)
    .replaceAll(/^-+|-+$/g, "")
  return slugProblem(slug) === null ? slug : ""
}
