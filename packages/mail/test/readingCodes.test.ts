import { readingOf } from "../src/reading/readingOf.js"
import { describe, expect, it } from "@effect/vitest"

const codesOf = (text: string, subject = "Hello") => readingOf({ text, html: null, subject }).codes
const found = (text: string, subject?: string) => codesOf(text, subject).map(({ code }) => code)

describe("a code near a word for it", () => {
  it.each([
    ["English", "Your verification code is 123456.", "123456"],
    ["English, after the code", "123456 is your Example verification code.", "123456"],
    ["English, OTP", "Use OTP 4821 to log in. It is valid for 10 minutes.", "4821"],
    ["English, PIN", "PIN: 2024", "2024"],
    ["English, below", "Enter this code to sign in:\n\n  73920184\n\nIt expires in 15 minutes.", "73920184"],
    ["English, above", "998877\n\nis your one-time password", "998877"],
    ["with a space", "Your code: 123 456", "123456"],
    ["with a dash", "Your code is 123-456", "123456"],
    ["four and four", "Your code is 1234 5678", "12345678"],
    ["digits in boxes", "Your code\n1 2 3 4 5 6", "123456"],
    ["with the sender's letter", "G-123456 is your Google verification code.", "123456"],
    ["letters and digits", "Your code is X7K9Q2", "X7K9Q2"],
    ["in groups", "Enter the code AB12-CD34 on your device", "AB12-CD34"],
    ["letters only", "Your device code:\nBCDF-GHJK", "BCDF-GHJK"],
    ["lower case", "Verification code: x7k9q2", "x7k9q2"],
    ["in single quotes", "Your code is '123456'.", "123456"],
    ["in curved quotes", "Your code: ‘1234’", "1234"],
    ["in single quotes, a mix", "Use the code 'X7K9Q2' to sign in", "X7K9Q2"],
    ["in bold", "Your code is *123456*", "123456"],
    ["German", "Ihr Bestätigungscode lautet 123456", "123456"],
    ["German, TAN", "Ihre mTAN: 123456", "123456"],
    ["French", "Votre code de vérification est : 123456", "123456"],
    ["Spanish", "Tu código de verificación es 123456", "123456"],
    ["Portuguese", "Seu código de acesso é 123456", "123456"],
    ["Italian", "Il tuo codice è 123456", "123456"],
    ["Dutch", "Je verificatiecode is 123456", "123456"],
    ["Polish", "Twój kod weryfikacyjny to 123456", "123456"],
    ["Russian", "Ваш код подтверждения: 123456", "123456"],
    ["Ukrainian", "Ваш код підтвердження: 123456", "123456"],
    ["Czech", "Váš ověřovací kód je 123456", "123456"],
    ["Swedish", "Din verifieringskod är 123456", "123456"],
    ["Norwegian", "Engangskoden din er 123456", "123456"],
    ["Danish", "Din bekræftelseskode er 123456", "123456"],
    ["Finnish", "Vahvistuskoodisi on 123456", "123456"],
    ["Turkish", "Doğrulama kodunuz: 123456", "123456"],
    ["Greek", "Ο κωδικός επαλήθευσης είναι 123456", "123456"],
    ["Hungarian", "Az ellenőrző kódod: 123456", "123456"],
    ["Romanian", "Codul tău de verificare este 123456", "123456"],
    ["Japanese", "認証コード：123456", "123456"],
    ["Japanese, in full width", "認証コードは１２３４５６です", "123456"],
    ["Chinese", "您的验证码为123456，5分钟内有效。", "123456"],
    ["Chinese, Taiwan", "您的驗證碼是 123456", "123456"],
    ["Korean", "인증번호는 123456입니다.", "123456"],
    ["Arabic", "رمز التحقق الخاص بك هو 123456", "123456"],
    ["Hebrew", "קוד האימות שלך הוא 123456", "123456"],
  ])("%s", (_rule, text, code) => {
    expect(found(text)).toEqual([code])
  })

  it("a year after a colon", () => {
    expect(found("Your code is:\n\n2024")).toEqual(["2024"])
    expect(found("PIN: 1999")).toEqual(["1999"])
  })

  it.each([
    ["English", "Your code is 2024. It expires in 10 minutes.", "2024"],
    ["in quotes", "Your verification code is '1999'", "1999"],
    ["German", "Ihr Bestätigungscode lautet 2024", "2024"],
    ["French", "Votre code de vérification est 2024.", "2024"],
    ["Chinese", "您的验证码为2024，5分钟内有效。", "2024"],
  ])("a year that is said to be the code: %s", (_rule, text, code) => {
    expect(found(text)).toEqual([code])
  })

  it.each(["span", "td", "div", "p", "li", "b", "strong"])("each digit in a <%s> of its own", (tag) => {
    const boxes = Array.from("482913", (digit) => `\n  <${tag} class="box">\n ${digit}\n</${tag}>`).join("")
    for (const html of [
      `<p>Your code:</p><table><tr>${boxes}</tr></table><p>It expires in 10 minutes.</p>`,
      `<p>Your code</p><div>${boxes.replaceAll(/\s*([<>])\s*/g, "$1")}</div>`,
    ])
      expect(readingOf({ text: null, html, subject: "" }).codes.map(({ code }) => code)).toEqual(["482913"])
  })

  it("in boxes with a dash between", () => {
    const cells = ["4", "8", "2", "-", "9", "1", "3"].map((cell) => `<td><p>${cell}</p></td>`).join("")
    const html = `<p>Your code</p><table><tr>${cells}</tr></table>`
    expect(readingOf({ text: null, html, subject: "" }).codes.map(({ code }) => code)).toEqual(["482913"])
  })

  it("in the subject, and in HTML", () => {
    expect(found("Hi", "482913 is your Example code")).toEqual(["482913"])
    const html = "<p>Your code</p><table><tr><td><b>482913</b></td></tr></table>"
    expect(readingOf({ text: null, html, subject: "" }).codes).toEqual([
      { code: "482913", context: "Your code 482913" },
    ])
  })
})

describe("a number that is something else is no code", () => {
  it.each([
    ["no word for a code", "There are 123456 of them."],
    ["a year", "The building code of 2024 applies. © 2023 Example"],
    ["a price", "Use code and pay $1234 or 1234 EUR or €4821."],
    ["a date and a time", "Code review on 2024-01-31 at 12:30, 31.01.2024 or 01/31/2024."],
    ["a telephone number", "Questions about your code? Call +1 555 123 4567 or 0800-123456."],
    ["an order", "Your order 123456 has a verification pending. Invoice 20240131, ticket #4821."],
    ["a postal code", "Postal code: 12345. ZIP code 90210, Postleitzahl 10115."],
    ["a coupon", "Promo code: SAVE20. Gutscheincode: HERBST24"],
    ["an error", "The server gave error code 5012."],
    ["an exit code", "The process exited with code 1337.\nFinished with exit code 137001"],
    ["what a program returned", "The job returned code 4096. return code: 2048. npm ERR! code 12345"],
    ["a transaction", "Transaction code: 12345678. Transaction 40001 failed with code 40002."],
    ["a patch", "Fix the code\n\ndiff --git a/x b/x\nindex 1234567..7654321 100644\nnew file mode 100755"],
    ["a commit", "commit 1234567 changes the code, 1234567..7654321 in all"],
    ["a year beside a word for a code", "Code 2024, The code (2024)"],
    ["a year after another word", "The code of 2024. The code since 2024, the code in 2024."],
    ["a year that goes on", "The code is 2024 lines long, and the building code is 2024 edition."],
    ["after an apostrophe", "The code l'123456 and 1'234567"],
    ["a year below one", "Code of conduct\n\n2024"],
    ["a colour", "The code uses color: #123456 and #1A2B3C."],
    ["in a link", "Your code is in https://a.example/code/123456 or 123456@code.example"],
    ["part of a longer one", "code 1234567890123 and 12,345,678 and 1234.56 and 12345%"],
    ["a word in capitals", "Your code is VALIDATED by ACME"],
  ])("%s", (_rule, text) => {
    expect(found(text)).toEqual([])
  })

  it("next to a code", () => {
    expect(found("Order 20241234: your PIN to pick it up is 4821. Call 0800 123456.")).toEqual(["4821"])
  })
})

describe("several codes", () => {
  it("the most certain first, each once", () => {
    expect(found("Ref 998877, the code below is for you.\nYour code: 123456\nAgain: code 123456")).toEqual([
      "123456",
      "998877",
    ])
  })

  it("at most five", () => {
    expect(found(Array.from({ length: 9 }, (_, at) => `Your code: 12345${at}`).join("\n"))).toHaveLength(5)
  })

  it("none from quoted history", () => {
    const text = "It did not work.\n\nOn 1/1/24 12:00, Ann Lee wrote:\n> Your code: 123456\n"
    expect(found(text, "Re: code")).toEqual([])
  })
})

describe("the context of a code", () => {
  it("is its sentence, or the line with the word for it", () => {
    expect(codesOf("Hello Bob. Your code is 123456. It expires soon.")[0]?.context).toBe(
      "Your code is 123456.",
    )
    expect(codesOf("Your code is:\n\n123456\n")[0]?.context).toBe("Your code is: 123456")
  })

  it("is at most 200 characters, around the code", () => {
    const [code] = codesOf(`${"so ".repeat(200)} the code is 123456 ${"and ".repeat(200)}`)
    expect(code?.context.length).toBeLessThanOrEqual(200)
    expect(code?.context).toContain("code is 123456")
  })
})
