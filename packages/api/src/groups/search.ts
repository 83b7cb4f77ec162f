/** Search (docs/specification/search.md). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { described, MessageListItem, MESSAGES_PAGE_DEFAULT, MESSAGES_PAGE_MAX } from "@mailroom/domain"
import { Schema } from "effect"
import { TooManyRequests, Unavailable } from "../errors.js"
import { bodies } from "../filters.js"
import { cursor, pageLimit, PageMetadata } from "../paging.js"
import { mailboxId } from "../paths.js"
import { query, saying } from "../query.js"
import { MailAccess, Needs } from "../security.js"

export const SearchSort = Schema.Literal("relevance", "date").annotations({
  description: "relevance: the best of the newest matches first; date: every match, newest first",
  ...saying("must be relevance or date"),
})
export type SearchSort = typeof SearchSort.Type

export const SearchParameters = query({
  q: Schema.String.annotations({
    description:
      'the query, such as `invoice from:acme.com -is:read "due on"`. Words must all match, in any order and any spelling of case and accents; `"a phrase"`, `begin*`, `-not`, `OR`, parentheses; `from: to: cc: subject: body: filename: label: thread:`, `has:attachment|code|link|invite`, `is:unread|read|automated`, `in:inbound|outbound`, `before: after:` with a date, `larger: smaller:` with a size',
    ...saying("must be a search query"),
  }),
  sort: Schema.optionalWith(SearchSort, { default: () => "relevance" as const }),
  bodies,
  limit: pageLimit(MESSAGES_PAGE_MAX, MESSAGES_PAGE_DEFAULT),
  cursor,
})

const highlight = (what: string) => Schema.optional(Schema.String).annotations({ description: what })

export const Highlights = Schema.Struct({
  subject: highlight("the subject; absent when no word of the query is in it"),
  from: highlight("name and address of the sender; absent when no word of the query is in them"),
  text: highlight("a part of the text around the first match; absent when no word of the query is in it"),
}).annotations({
  identifier: "SearchHighlights",
  description: "Where the query matches, as HTML: escaped text with `<mark>` around the words",
})

export const FoundMessage = Schema.Struct({
  ...MessageListItem.fields,
  highlights: described(Highlights, "where the query matches"),
}).annotations({
  identifier: "FoundMessage",
  description: "A message in a list, and where the query matches",
})

export const SearchResults = Schema.Struct({
  messages: described(Schema.Array(FoundMessage), "the messages of the page"),
  metadata: described(PageMetadata, "metadata of the page"),
}).annotations({ identifier: "SearchResults", description: "A page of found messages" })

const WHAT_IS_SEARCHED =
  "Searches subject, names and addresses, the first 256 kB of the text, and the names of attachments. Gated messages are hidden. By relevance, the newest 100 matches are compared, and of the newest 12,000 messages of the account the newest 100 with the words in the subject, and as a phrase; by date, every match is found. A query that does not parse answers 400 with its `position` in `issues`."

export class SearchGroup extends HttpApiGroup.make("search")
  .add(
    HttpApiEndpoint.get("everywhere")`/v1/messages/search`
      .setUrlParams(SearchParameters)
      .addSuccess(SearchResults)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Search the messages of all mailboxes")
      .annotate(
        OpenApi.Description,
        `A key with a scope searches the mailboxes of its scope. ${WHAT_IS_SEARCHED}`,
      ),
  )
  .add(
    HttpApiEndpoint.get("inMailbox")`/v1/mailboxes/${mailboxId}/messages/search`
      .setUrlParams(SearchParameters)
      .addSuccess(SearchResults)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Search the messages of a mailbox")
      .annotate(OpenApi.Description, WHAT_IS_SEARCHED),
  )
  .annotate(OpenApi.Title, "Search")
  .annotate(OpenApi.Description, "Messages by their words and facts.") {}
