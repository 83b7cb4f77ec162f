export * from "./providerReports.js"
export type { TopicArnInvalid } from "./ses/topic.js"
