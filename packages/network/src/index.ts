export * from "./dns/MemoryDns.js"
export * from "./dns/SystemDns.js"
export * from "./webhooks/MemoryWebhookTransport.js"
export * from "./webhooks/UndiciWebhookTransport.js"
