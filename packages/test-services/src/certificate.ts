/** A self-signed certificate for localhost, and the one that an SMTP server shows. */
import { Effect } from "effect"
import { connect } from "node:net"
import { connect as connectTls } from "node:tls"

/** Its key protects nothing. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUF7qub2JMVraQmaxYw4q+chiA/lgwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMDEzMzgxOVoYDzIxMjYxMDI3
MTMzODE5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAScxVHoqqdER/Oer+Sy11UoCHoLBOjr9lty51G46B6pQAU5DWR11CJq
hSj0ZkDo5DdQQBHcIRMG/kV0Qur4FtzBo28wbTAdBgNVHQ4EFgQUzG4bOZa6YKjI
rznVh5OERT1yX7EwHwYDVR0jBBgwFoAUzG4bOZa6YKjIrznVh5OERT1yX7EwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAL+hwm8MSKxNYBkyrGtOuhl/fpsPsx4EXBprp60RSTLMAiBp
ycAVpe93YY6awK3HzKGlU1gfIGlG0B4VGXjFvglp5w==
-----END CERTIFICATE-----`

export const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgd8EggrTm2ft2obJ3
oIXaYy9KtE3J05F+zASoFvHfF1ihRANCAAScxVHoqqdER/Oer+Sy11UoCHoLBOjr
9lty51G46B6pQAU5DWR11CJqhSj0ZkDo5DdQQBHcIRMG/kV0Qur4FtzB
-----END PRIVATE KEY-----`

/** What follows the certificate when it is renewed. */
export const renewed = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUXLSrqKA7jdLeYm9jF7g6Cm1MCLowCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjIxMjA0M1oYDzIxMjYxMDI5
MjEyMDQzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASpGmubr3ouK3CtXcadN4XNRc9Uq+8vXKvjOABI9HjTXwV3KKRCfxe9
Rx/E5/PEZONO3QWO5TSR/kRYOimjBk+uo28wbTAdBgNVHQ4EFgQUjg//pc50Vpga
UnKjDpdbzgJpBgMwHwYDVR0jBBgwFoAUjg//pc50VpgaUnKjDpdbzgJpBgMwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgGJhJdimlBNrxr4RfALElkk4EFOEdMIrZz1+aUvs65IcCIG6u
qqFs1aWUottsEJYGaX165seLDnI6/OlRG5cecfl0
-----END CERTIFICATE-----`,
  privateKey: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbSC0wDOmmO9XFscJ
uQP/VJC9hbUG0nIeKtm4n50JaVuhRANCAASpGmubr3ouK3CtXcadN4XNRc9Uq+8v
XKvjOABI9HjTXwV3KKRCfxe9Rx/E5/PEZONO3QWO5TSR/kRYOimjBk+u
-----END PRIVATE KEY-----`,
}

/** The fingerprint of the certificate that an SMTP server shows after STARTTLS. */
export const shownCertificate = (port: number) =>
  Effect.async<string, Error>((resume) => {
    const fail = (error: Error) => resume(Effect.fail(error))
    const socket = connect(port, "127.0.0.1").on("error", fail)
    const commands = ["EHLO client.example\r\n", "STARTTLS\r\n"]
    socket.on("data", () => {
      const command = commands.shift()
      if (command !== undefined) return void socket.write(command)
      socket.removeAllListeners("data")
      const secure = connectTls({ socket, rejectUnauthorized: false }, () => {
        resume(Effect.succeed(secure.getPeerCertificate().fingerprint256))
        socket.destroy()
      }).on("error", fail)
    })
  })
