export * from "./InMemoryMailroom.js"
export * from "./InMemoryHttp.js"
export { clockAt } from "./clockAt.js"
