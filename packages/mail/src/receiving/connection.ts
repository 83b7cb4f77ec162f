/**
 * smtp-server's connections, adapted in two places that have no option:
 * - it waits 100 ms before every greeting, which allows ten mails a second to a client that connects for each one;
 * - it has one enhanced status code per reply code, while 550, 552 and 554 mean several things here.
 * Both go through public methods of its `SMTPConnection`. The version is pinned, and tests hold both.
 */
import type { SMTPServer } from "smtp-server"
import { SMTPConnection } from "smtp-server/lib/smtp-connection.js"

const startsWithStatus = /^[245]\.\d{1,3}\.\d{1,3} /

export const adaptConnections = (
  server: SMTPServer,
  onOpen: (connection: SMTPConnection) => void,
  onReply: () => void,
): void => {
  server.connect = (socket, options) => {
    const connection = new SMTPConnection(server, socket, options)
    const send = connection.send.bind(connection)
    connection.send = (code, text, context) => {
      onReply()
      send(code, text, typeof text === "string" && startsWithStatus.test(text) ? false : context)
    }
    const greet = connection.connectionReady.bind(connection)
    let greeted = false
    connection.connectionReady = () => {
      if (!greeted) greet()
      greeted = true
    }
    // The client's connection broke, which smtp-server notices by itself.
    connection.on("error", () => {})
    server.connections.add(connection)
    onOpen(connection)
    connection.init()
    connection.connectionReady()
  }
}
