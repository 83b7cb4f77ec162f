export * from "./NodeMailroom.js"
