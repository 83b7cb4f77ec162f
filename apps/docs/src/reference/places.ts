/** Where the parts of the reference are. */
import type { Group } from "./openapi.js"

/** The page of a group: `reference/api-keys`. */
export const groupPath = ({ name }: Pick<Group, "name">): string =>
  `reference/${name.toLowerCase().replaceAll(" ", "-")}`

export const typeUrl = (name: string): string => `/docs/reference/types#${name}`

/** The errors of a schema such as `BadRequest`. */
export const errorUrl = (schema: string): string => `/docs/reference/errors#${schema}`
