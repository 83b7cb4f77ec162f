export * from "./door.js"
export * from "./postgres/database.js"
export * from "./postgres/server.js"
export * from "./s3/server.js"
