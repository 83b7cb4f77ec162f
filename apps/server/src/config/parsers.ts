/** Parsers from the text of a variable to its value; none for a text that the variable does not take. */
import { isEmailAddress, parseUrl } from "@mailroom/domain"
import { Option } from "effect"

export const oneOf =
  <const A extends ReadonlyArray<string>>(...values: A) =>
  (text: string): Option.Option<A[number]> =>
    Option.fromNullable(values.find((value) => value.toLowerCase() === text.toLowerCase()))

export const integer =
  (min: number, max: number) =>
  (text: string): Option.Option<number> =>
    Option.some(Number(text)).pipe(Option.filter((n) => /^\d+$/.test(text) && n >= min && n <= max))

export const flag = (text: string): Option.Option<boolean> =>
  Option.map(oneOf("true", "false", "1", "0")(text), (value) => value === "true" || value === "1")

export const someText = (text: string): Option.Option<string> => Option.some(text)

export const emailAddress: (text: string) => Option.Option<string> = Option.liftPredicate(isEmailAddress)

/** A host name or an IP address to listen on. */
export const host = (text: string): Option.Option<string> =>
  Option.filter(Option.some(text), (value) => /^[A-Za-z0-9.:_-]+$/.test(value))

export const domainName = (text: string): Option.Option<string> =>
  Option.filter(Option.some(text.toLowerCase()), (value) =>
    /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/.test(value),
  )

/** An http: or https: address without query or fragment. A trailing slash is dropped. */
export const publicUrl = (text: string): Option.Option<string> => {
  const url = parseUrl(text)
  if (url === null) return Option.none()
  const plain = url.search === "" && url.hash === "" && url.username === ""
  return plain && /^https?:$/.test(url.protocol) ? Option.some(text.replace(/\/+$/, "")) : Option.none()
}

export const listOf =
  <A>(parse: (text: string) => Option.Option<A>) =>
  (text: string): Option.Option<ReadonlySet<A>> =>
    Option.map(Option.all(text.split(",").map((part) => parse(part.trim()))), (values) => new Set(values))
