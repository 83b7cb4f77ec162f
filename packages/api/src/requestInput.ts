/** Annotations of an endpoint or a group about its input, in addition to the schemas. */
import { Context } from "effect"

/** The form fields that accept files. */
export class FileFields extends Context.Reference<FileFields>()("@mailroom/api/FileFields", {
  defaultValue: (): ReadonlySet<string> => new Set(),
}) {}

/**
 * Whether body fields and query parameters that the endpoint does not know are ignored. They are refused with 400
 * otherwise, because a misspelt filter or field would change what the request does (docs/decisions/0057).
 */
export class IgnoresUnknown extends Context.Reference<IgnoresUnknown>()("@mailroom/api/IgnoresUnknown", {
  defaultValue: (): boolean => false,
}) {}

/** Whether a browser that posts a form to the endpoint gets a page as its answer, also where the form is refused. */
export class AnswersForms extends Context.Reference<AnswersForms>()("@mailroom/api/AnswersForms", {
  defaultValue: (): boolean => false,
}) {}
