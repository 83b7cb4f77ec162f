/** The MCP server: docs/specification/mcp.md. */
import type { Section } from "./Section.js"

export const mcp = [
  {
    heading: "Access",
    rows: {
      "mcp.auth": "An API key as the bearer; else 401 with the place of the metadata",
      "mcp.rights": "A tool may do what its key may do",
      "mcp.origin": "403 FOREIGN_ORIGIN for pages of other origins",
      "mcp.metadata": "The metadata of RFC 9728",
    },
  },
  {
    heading: "Requests",
    rows: {
      "mcp.stateless": "No sessions; GET and DELETE get 405",
      "mcp.body": "JSON of at most 4 MB and 32 levels",
    },
  },
  {
    heading: "Tools",
    rows: {
      "mcp.tools": "Twenty tools with schemas and hints",
      "mcp.whoami": "whoami answers in every state, with mailboxes where they may be listed",
      "mcp.errors": "Errors are JSON with code, retryable, retryAfter and hint",
      "mcp.fence": "What others wrote is between tags with a nonce, and nowhere else",
      "mcp.size": "Results of at most 20,000 bytes, without bytes of files",
      "mcp.replay": "The same send within 24 hours is sent once",
    },
  },
] as const satisfies ReadonlyArray<Section>
