/** Makes a JSON body of a multipart form, with its fields under the same names. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Multipart from "@effect/platform/Multipart"
import { Effect, Option, Schema, SchemaAST } from "effect"

type Kind = "list" | "json" | "other"

const kindOf = (ast: SchemaAST.AST): Kind => {
  switch (ast._tag) {
    case "Refinement":
    case "Transformation":
      return kindOf(ast.from)
    case "TupleType":
      return "list"
    case "TypeLiteral":
    case "BooleanKeyword":
      return "json"
    case "Union": {
      const kinds = ast.types.filter((type) => !SchemaAST.isUndefinedKeyword(type)).map(kindOf)
      return kinds.find((kind) => kind !== "other") ?? "other"
    }
    default:
      return "other"
  }
}

/** The fields of an object schema, whose refinements are skipped. */
const fieldsOf = (ast: SchemaAST.AST): ReadonlyMap<string, Kind> =>
  SchemaAST.isRefinement(ast)
    ? fieldsOf(ast.from)
    : new Map(SchemaAST.getPropertySignatures(ast).map(({ name, type }) => [String(name), kindOf(type)]))

const asJson = Schema.decodeUnknownOption(Schema.parseJson())

/**
 * Makes the JSON body of a form, for a payload schema. A list takes the values of all fields of its name, an object or a
 * boolean is JSON in its field, a file becomes `{filename, contentType, content}` with base64 content. The schema refuses
 * the rest later.
 */
export const formAsJson = (
  ast: SchemaAST.AST,
): ((
  form: Readonly<Record<string, unknown>>,
) => Effect.Effect<Record<string, unknown>, never, FileSystem.FileSystem>) => {
  const fields = fieldsOf(ast)
  const valueOf = (value: unknown) =>
    Multipart.isPersistedFile(value)
      ? Effect.gen(function* () {
          const { readFile } = yield* FileSystem.FileSystem
          const bytes = yield* Effect.orDie(readFile(value.path))
          return {
            filename: value.name === "" ? "attachment" : value.name,
            contentType: value.contentType,
            content: Buffer.from(bytes).toString("base64"),
          }
        })
      : Effect.succeed(value)
  const fieldOf = (name: string, value: unknown) => {
    if (Array.isArray(value)) return Effect.forEach(value, valueOf)
    const kind = fields.get(name) ?? "other"
    if (kind === "list") return Effect.map(valueOf(value), (one) => [one])
    return Effect.succeed(kind === "json" ? Option.getOrElse(asJson(value), () => value) : value)
  }
  return (form) =>
    Effect.map(
      Effect.forEach(Object.entries(form), ([name, value]) =>
        Effect.map(fieldOf(name, value), (field) => [name, field] as const),
      ),
      (entries) => Object.fromEntries(entries),
    )
}
