export * from "./InMemoryMailroom.js"
export * from "./InMemoryHttp.js"
