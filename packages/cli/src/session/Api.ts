/** The client of a command. */
import { type Mailbox, Mailroom, type List, type RequestOptions } from "@mailroom/client"
import { Context, Effect, Layer, Option } from "effect"
import { CliError, cliError, usageError } from "../CliError.js"
import { exitCodes } from "../exitCodes.js"
import type { Listed } from "../terminal/Output.js"
import { Shell } from "../terminal/Shell.js"
import { type Credentials, credentials, type Selection } from "./credentials.js"

/** Requests of a command that end with it: Ctrl-C aborts them. */
type Requesting<A> = (mailroom: Mailroom, options: RequestOptions) => PromiseLike<A>

/** The page of a list that one request asks for, at most. */
const LARGEST_PAGE = 100

/** A client of a service. The key is all that it can refuse: the URL is one of `serviceUrl`. */
export const clientOf = ({ apiKey, url }: Pick<Credentials, "apiKey" | "url">) =>
  Effect.flatMap(Shell, ({ fetch }) =>
    Effect.try({
      try: () => new Mailroom({ apiKey, baseUrl: url, fetch }),
      catch: () =>
        new CliError({
          exitCode: exitCodes.signedOut,
          message: "The API key has a character that a key never has, such as a space or an ellipsis.",
          hint: "Copy the whole key: run mailroom login with it, or set MAILROOM_API_KEY.",
        }),
    }),
  )

export class Api extends Context.Tag("@mailroom/cli/Api")<
  Api,
  { readonly mailroom: Mailroom; readonly credentials: Credentials }
>() {
  static readonly layer = (selection: Selection) =>
    Layer.effect(
      Api,
      Effect.gen(function* () {
        const found = yield* credentials(selection)
        return { mailroom: yield* clientOf(found), credentials: found }
      }),
    )

  /** The result of a call. */
  static readonly request = <A>(request: Requesting<A>): Effect.Effect<A, CliError, Api> =>
    Effect.flatMap(Api, ({ mailroom }) =>
      Effect.tryPromise({ try: (signal) => request(mailroom, { signal }), catch: cliError }),
    )

  /** The first `limit` items of a list, over as many pages as they take. */
  static readonly items = <Item>(
    limit: number,
    list: (mailroom: Mailroom, page: { readonly limit: number }, options: RequestOptions) => List<Item>,
  ): Effect.Effect<Listed<Item>, CliError, Api> =>
    Api.request(async (mailroom, options) => {
      let page = await list(mailroom, { limit: Math.min(limit, LARGEST_PAGE) }, options)
      const items = [...page.items]
      while (page.hasMore && items.length < limit) {
        page = await page.nextPage()
        items.push(...page.items)
      }
      return { items: items.slice(0, limit), hasMore: page.hasMore || items.length > limit }
    })
}

const allMailboxes = Effect.map(
  Api.request((mailroom, options) => mailroom.mailboxes.list(options)),
  ({ items }) => items,
)

const isNamed = (name: string) => (mailbox: Mailbox) =>
  mailbox.id === name || mailbox.fullAddress === name.toLowerCase() || mailbox.address === name.toLowerCase()

const named = (mailboxes: ReadonlyArray<Mailbox>, name: string): Effect.Effect<Mailbox, CliError> => {
  const [found, another] = mailboxes.filter(isNamed(name))
  if (found === undefined)
    return new CliError({
      exitCode: exitCodes.nothing,
      message: `There is no mailbox ${name}.`,
      hint: "mailroom mailboxes list shows the mailboxes of this key.",
    })
  return another === undefined
    ? Effect.succeed(found)
    : usageError(`${name} is the address of several mailboxes.`, "Name the whole address, or the id.")
}

/** The mailbox that the command names, by id or address; else that of the environment or the profile; none otherwise. */
export const chosenMailbox = (
  given: Option.Option<string>,
): Effect.Effect<Option.Option<Mailbox>, CliError, Api> =>
  Effect.flatMap(Api, ({ credentials: { mailbox } }) => {
    const name = Option.getOrElse(given, () => mailbox)
    if (name === undefined) return Effect.succeedNone
    return Effect.asSome(Effect.flatMap(allMailboxes, (mailboxes) => named(mailboxes, name)))
  })

/** As `chosenMailbox`; without a choice, the only mailbox of the key. */
export const oneMailbox = (given: Option.Option<string>): Effect.Effect<Mailbox, CliError, Api> =>
  Effect.flatMap(
    chosenMailbox(given),
    Option.match({
      onSome: Effect.succeed,
      onNone: () =>
        Effect.flatMap(allMailboxes, ([first, second]) => {
          if (first === undefined)
            return usageError("This key has no mailbox.", "mailroom mailboxes create makes one.")
          return second === undefined
            ? Effect.succeed(first)
            : usageError(
                "This key has several mailboxes.",
                "Choose one with --mailbox, by its address or id.",
              )
        }),
    }),
  )

/**
 * Finds something by its id: in the chosen mailbox, or else in each mailbox of the key in turn, because ids do not tell their
 * mailbox. Fails as the last mailbox does.
 */
export const inItsMailbox = <A>(
  given: Option.Option<string>,
  find: (mailboxId: string) => Effect.Effect<A, CliError, Api>,
): Effect.Effect<A, CliError, Api> =>
  Effect.flatMap(
    chosenMailbox(given),
    Option.match({
      onSome: ({ id }) => find(id),
      onNone: () =>
        Effect.flatMap(allMailboxes, (mailboxes) =>
          mailboxes.reduce<Effect.Effect<A, CliError, Api>>(
            (found, { id }) =>
              Effect.catchIf(
                found,
                ({ exitCode }) => exitCode === exitCodes.nothing,
                () => find(id),
              ),
            new CliError({
              exitCode: exitCodes.nothing,
              message: "This key has no mailbox.",
              hint: "mailroom mailboxes create makes one.",
            }),
          ),
        ),
    }),
  )
