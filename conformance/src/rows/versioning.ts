/** How the API changes: docs/specification/versioning.md. */
import type { Section } from "./Section.js"

export const versioning = [
  {
    heading: "Versioning",
    rows: {
      "versioning.1": "The version is in the path, and it is /v1",
      "versioning.2": "What breaks clients comes under a new version: all that /v1 promised is there",
      "versioning.3": "What is added comes without one: requests and answers may have more fields",
      "versioning.4-changelog": "What is retired is announced in a changelog",
      "versioning.4-headers": "What is retired is announced by Deprecation and Sunset",
      "decisions.retired": "Every /v1 answer can carry Deprecation and Sunset from one table",
      "versioning.5": "The description is OpenAPI 3.1.0, version 1.0.0",
    },
  },
] as const satisfies ReadonlyArray<Section>
