/** Query parameters that an endpoint does not know: refused, unless the endpoint ignores them (docs/decisions/0057). */
import { IgnoresUnknown } from "@mailroom/api"
import { type Issue, ISSUES_MAX, unknownName } from "@mailroom/domain"
import { Context, Option, SchemaAST } from "effect"

interface Endpoint {
  readonly urlParamsSchema: Option.Option<{ readonly ast: SchemaAST.AST }>
}

/** One issue for each unknown name in the query of a URL. `annotations`: of the endpoint, merged with its group's. */
export const unknownParameters = (
  { urlParamsSchema }: Endpoint,
  annotations: Context.Context<never>,
): ((url: string) => ReadonlyArray<Issue>) => {
  if (Context.get(annotations, IgnoresUnknown)) return () => []
  const known: ReadonlyArray<string> = Option.match(urlParamsSchema, {
    onNone: () => [],
    onSome: ({ ast }) => SchemaAST.getPropertySignatures(ast).map(({ name }) => String(name)),
  })
  return (url) => {
    const start = url.indexOf("?")
    if (start === -1) return []
    const names = new Set(new URLSearchParams(url.slice(start + 1)).keys())
    return [...names]
      .filter((name) => !known.includes(name))
      .slice(0, ISSUES_MAX)
      .map((name) => ({ path: name.slice(0, 64), message: unknownName(name, known) }))
  }
}
