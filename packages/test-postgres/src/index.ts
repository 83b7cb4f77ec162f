export * from "./database.js"
export * from "./server.js"
