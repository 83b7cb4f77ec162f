export * from "./InMemoryMailroom.js"
export * from "./InMemoryHttp.js"
export * from "./TestMailroom.js"
