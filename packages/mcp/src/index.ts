/** `@mailroom/mcp`: the tools of Mailroom for language models, by the Model Context Protocol. */
export type { Caller } from "./Caller.js"
export { handleRequest } from "./http.js"
export { serveStdio } from "./stdio.js"
