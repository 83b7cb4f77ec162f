export { HttpSettings } from "./HttpSettings.js"
export { MailroomHttp } from "./MailroomHttp.js"
export { Readiness } from "./pages/healthPages.js"
