/**
 * Describes what is wrong with a client's input, field by field: the path, and what is accepted there. It never prints the
 * value, which may be a password or 40 MB long; Effect's own formatters print it.
 */
import { Array as Arr, Option, type ParseResult, Predicate, SchemaAST } from "effect"
import type { Issue } from "./errors.js"
import { unknownName } from "./nearestName.js"

/** Maximal number of issues in a response. */
export const ISSUES_MAX = 100

/** Maximal length of a name in a path, in characters: the client chooses the names in a record. */
const NAME_MAX_LENGTH = 64
/** Maximal number of names in a path. */
const PATH_MAX_NAMES = 16

type Path = ReadonlyArray<PropertyKey>

const pathText = (path: Path): string =>
  path
    .slice(0, PATH_MAX_NAMES)
    .map((name) => String(name).slice(0, NAME_MAX_LENGTH))
    .join(".")

/** Drops the `undefined` and `null` members of an optional or nullable field, which would say nothing. */
const isAbsence = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isUndefinedKeyword(ast) || (SchemaAST.isLiteral(ast) && ast.literal === null)

type Kind = "string" | "number" | "boolean" | "list" | "object" | "other"

const kindOf = (value: unknown): Kind => {
  if (Array.isArray(value)) return "list"
  const type = typeof value
  if (type === "object") return value === null ? "other" : "object"
  return type === "string" || type === "number" || type === "boolean" ? type : "other"
}

/** The kind of JSON value that a schema decodes. */
const acceptedKind = (ast: SchemaAST.AST): Kind => {
  switch (ast._tag) {
    case "Refinement":
    case "Transformation":
      return acceptedKind(ast.from)
    case "StringKeyword":
    case "TemplateLiteral":
      return "string"
    case "NumberKeyword":
      return "number"
    case "BooleanKeyword":
      return "boolean"
    case "Literal":
      return kindOf(ast.literal)
    case "TupleType":
      return "list"
    case "TypeLiteral":
      return "object"
    default:
      return "other"
  }
}

const kindWords: { readonly [K in Kind]: string } = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  list: "a list",
  object: "an object",
  other: "of another kind",
}

const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`

/** The limit of a refinement, from its JSON Schema. */
const limitWords = (jsonSchema: object): string | null => {
  const number = (name: string): number | null =>
    Predicate.hasProperty(jsonSchema, name) && typeof jsonSchema[name] === "number" ? jsonSchema[name] : null
  const says = (name: string, words: (limit: number) => string): string | null => {
    const limit = number(name)
    return limit === null ? null : words(limit)
  }
  if (Predicate.hasProperty(jsonSchema, "format") && jsonSchema.format === "uuid") return "must be a UUID"
  if (Predicate.hasProperty(jsonSchema, "type") && jsonSchema.type === "integer")
    return "must be a whole number"
  const [minimum, maximum] = [number("minimum"), number("maximum")]
  if (minimum !== null && maximum !== null) return `must be from ${minimum} to ${maximum}`
  return (
    says("minLength", (limit) => `must have at least ${plural(limit, "character")}`) ??
    says("maxLength", (limit) => `must have at most ${plural(limit, "character")}`) ??
    says("minItems", (limit) => `must have at least ${plural(limit, "item")}`) ??
    says("maxItems", (limit) => `must have at most ${plural(limit, "item")}`) ??
    says("minimum", (limit) => `must be ${limit} or more`) ??
    says("maximum", (limit) => `must be ${limit} or less`)
  )
}

const ownWords = (ast: SchemaAST.AST): string | null =>
  Option.match(SchemaAST.getDescriptionAnnotation(ast), {
    onNone: () => null,
    onSome: (description) => `must be ${description}`,
  })

/** The values of an enumeration; null for other schemas. */
const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string> | null => {
  const types = SchemaAST.isUnion(ast) ? ast.types.filter((type) => !isAbsence(type)) : [ast]
  const literals = types.flatMap((type) => (SchemaAST.isLiteral(type) ? [JSON.stringify(type.literal)] : []))
  return literals.length === types.length ? literals : null
}

/** What a schema accepts, as the end of a sentence about the field. */
const acceptedWords = (ast: SchemaAST.AST): string => {
  const literals = literalsOf(ast)
  if (literals !== null)
    return literals.length === 1 ? `must be ${literals[0]}` : `must be one of ${literals.join(", ")}`
  switch (ast._tag) {
    case "Union": {
      const kinds = new Set(
        ast.types.filter((type) => !isAbsence(type)).map((type) => kindWords[acceptedKind(type)]),
      )
      return `must be ${[...kinds].join(" or ")}`
    }
    case "Refinement": {
      const limit = Option.match(SchemaAST.getJSONSchemaAnnotation(ast), {
        onNone: () => null,
        onSome: limitWords,
      })
      return limit ?? ownWords(ast) ?? "is not of the form that is accepted here"
    }
    case "Transformation":
      return ownWords(ast) ?? "is not of the form that is accepted here"
    default: {
      const kind = acceptedKind(ast)
      return kind === "other" ? (ownWords(ast) ?? "is not accepted here") : `must be ${kindWords[kind]}`
    }
  }
}

/** The schema that refused the value; null for an issue that only adds a path. */
const schemaOf = (issue: ParseResult.ParseIssue): SchemaAST.AST | null =>
  issue._tag === "Pointer" || issue._tag === "Unexpected" || issue._tag === "Missing" ? null : issue.ast

/**
 * The message that the schema itself gives, unless an issue further inside says more: the rule of Effect's formatters.
 * Messages that need an effect to be made are not supported.
 */
const ownMessage = (issue: ParseResult.ParseIssue): string | null => {
  const ast = schemaOf(issue)
  if (ast === null) return null
  const annotation = SchemaAST.getMessageAnnotation(ast)
  if (Option.isNone(annotation)) return null
  const message = annotation.value(issue)
  const insideSaysMore =
    issue._tag === "Composite" ||
    (issue._tag === "Refinement" && issue.kind === "From") ||
    (issue._tag === "Transformation" && issue.kind !== "Transformation")
  if (typeof message === "string") return insideSaysMore ? null : message
  if (!("override" in message) || typeof message.message !== "string") return null
  return insideSaysMore && !message.override ? null : message.message
}

/** The members of a union that match the kind of the value, without those that only accept its absence. */
const matchingMembers = (union: ParseResult.Composite): ReadonlyArray<ParseResult.ParseIssue> => {
  const members = Arr.ensure(union.issues).filter((one) => {
    const ast = schemaOf(one)
    return ast === null || !isAbsence(ast)
  })
  if (members.length <= 1) return members
  const kind = kindOf(union.actual)
  return members.filter((one) => {
    const ast = schemaOf(one)
    return ast === null ? kind === "object" : acceptedKind(ast) === kind
  })
}

/** The words for the names that a record accepts; null when its schema has none. */
const nameWords = (ast: SchemaAST.AST): string | null =>
  SchemaAST.isTypeLiteral(ast) && ast.indexSignatures[0] !== undefined
    ? ownWords(ast.indexSignatures[0].parameter)
    : null

/** The field names of an object schema. */
const knownNames = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  SchemaAST.isTypeLiteral(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []

/** The issues in the order of the fields, at most `max`. */
export const issuesOf = (root: ParseResult.ParseIssue, max = ISSUES_MAX): ReadonlyArray<Issue> => {
  const found: Array<Issue> = []
  const report = (path: Path, message: string): void => {
    if (found.length < max) found.push({ path: pathText(path), message })
  }
  /** `object`: the schema of the object that the issue is in. */
  const walk = (issue: ParseResult.ParseIssue, path: Path, object: SchemaAST.AST | null = null): void => {
    if (found.length >= max) return
    const own = ownMessage(issue)
    if (own !== null) return report(path, own)
    switch (issue._tag) {
      case "Pointer":
        return walk(issue.issue, [...path, ...Arr.ensure(issue.path)], object)
      case "Missing":
        return report(path, issue.message ?? "is missing")
      case "Unexpected": {
        const known = object === null ? [] : knownNames(object)
        if (known.length > 0) return report(path, unknownName(String(path.at(-1)), known))
        const rule = object === null ? null : nameWords(object)
        return report(path, `is not a name that is accepted here${rule === null ? "" : `: it ${rule}`}`)
      }
      case "Forbidden":
        return report(path, "cannot be read here")
      case "Type":
        // A filter that names a field passes its message on in the issue of that field.
        return report(
          path,
          (SchemaAST.isRefinement(issue.ast) ? issue.message : undefined) ?? acceptedWords(issue.ast),
        )
      case "Composite": {
        const union = SchemaAST.isUnion(issue.ast)
        const inner = union ? matchingMembers(issue) : Arr.ensure(issue.issues)
        if (union && inner.length !== 1) return report(path, acceptedWords(issue.ast))
        for (const one of inner) {
          if (found.length >= max) return
          walk(one, path, issue.ast)
        }
        return
      }
      case "Refinement": {
        if (issue.kind === "From" || issue.issue._tag === "Pointer" || issue.issue._tag === "Composite")
          return walk(issue.issue, path)
        const message = issue.issue._tag === "Type" ? issue.issue.message : undefined
        return report(path, message ?? acceptedWords(issue.ast))
      }
      case "Transformation":
        return issue.kind === "Transformation"
          ? report(path, acceptedWords(issue.ast))
          : walk(issue.issue, path)
    }
  }
  walk(root, [])
  return found
}
