/** The endpoints of a contract. */
import type * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Context, type Option, type SchemaAST } from "effect"

interface Annotated {
  readonly annotations: Context.Context<never>
  readonly middlewares: ReadonlySet<HttpApiMiddleware.TagClassAny>
}

type OptionalSchema = Option.Option<{ readonly ast: SchemaAST.AST }>

/** What is read of an `HttpApiEndpoint`. */
interface Endpoint extends Annotated {
  readonly name: string
  readonly method: string
  /** with parameters as `:id` */
  readonly path: string
  readonly headersSchema: OptionalSchema
  readonly payloadSchema: OptionalSchema
  readonly urlParamsSchema: OptionalSchema
}

/** What is read of an `HttpApiGroup`. */
interface Group<Name extends string = string> extends Annotated {
  readonly identifier: Name
  readonly endpoints: Readonly<Record<string, Endpoint>>
}

/** What is read of an `HttpApi`, whose own type names each of its groups. */
export interface Contract<Name extends string = string> extends Annotated {
  readonly groups: Readonly<Record<string, Group<Name>>>
}

export interface PlacedEndpoint {
  readonly group: Group
  readonly endpoint: Endpoint
  /** those of the contract, of the group and of the endpoint; the last one counts */
  readonly annotations: Context.Context<never>
  /** that of the group and that of the endpoint */
  readonly middlewares: ReadonlyArray<HttpApiMiddleware.TagClassAny>
}

/**
 * The endpoints in the order of the contract. `HttpApi.reflect` makes the schemas of their responses too, which takes 15 ms each time
 * that a process starts.
 */
export const endpointsOf = ({ annotations, groups }: Contract): ReadonlyArray<PlacedEndpoint> =>
  Object.values(groups).flatMap((group) =>
    Object.values(group.endpoints).map((endpoint) => ({
      group,
      endpoint,
      annotations: Context.mergeAll(annotations, group.annotations, endpoint.annotations),
      middlewares: [...group.middlewares, ...endpoint.middlewares],
    })),
  )
