/** How the API changes: docs/specification/versioning.md. */
import type { Section } from "./Section.js"

export const versioning = [
  {
    heading: "Versioning",
    rows: {
      "versioning.1": "The version is in the path, and it is /v1",
      "versioning.2": "Incompatible changes need a new version: /v1 keeps all its routes",
      "versioning.3": "Additions need no new version: requests and responses may have more fields",
      "versioning.4-changelog": "A retired route is announced in the changelog",
      "versioning.4-headers": "A retired route is announced by Deprecation and Sunset",
      "decisions.retired": "Every /v1 answer can carry Deprecation and Sunset from one table",
      "versioning.5": "The description is OpenAPI 3.1.0, version 1.0.0",
    },
  },
] as const satisfies ReadonlyArray<Section>
