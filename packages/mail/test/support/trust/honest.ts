/** Mails as honest people and programs write them, with the trust that they have. */
import { type CorpusMail, ipsum, newsletter } from "./mails.js"

const NBSP = "\u00a0"
const verified = { level: "verified", reasons: [] } as const
const unverified = { level: "unverified", reasons: [] } as const

/** The paragraph that mail builders put around text: the font size of the outer cell is zero. */
const built = (text: string) =>
  `<td style="font-size:0px;padding:10px 25px;word-break:break-word;"><div style="font-family:Arial;font-size:13px;line-height:1;color:#000000;">${text}</div></td>`

export const honestMails: ReadonlyArray<CorpusMail> = [
  { name: "a plain mail of a proven sender", text: "At noon?", expected: verified },
  { name: "a plain mail of an unproven sender", proof: "none", text: "At noon?", expected: unverified },
  {
    name: "the owner",
    from: "Olga Owner <Olga@Owner.example>",
    text: "Please answer Bob.",
    expected: { level: "owner", reasons: [] },
  },
  {
    name: "the owner's address that nothing proves",
    from: "olga@owner.example",
    proof: "none",
    text: "Hi",
    expected: unverified,
  },
  {
    name: "somebody that the mailbox wrote to",
    writtenTo: true,
    text: "Yes.",
    expected: { level: "known", reasons: ["written_to"] },
  },
  {
    name: "somebody on an allow list",
    allowListed: true,
    text: "Yes.",
    expected: { level: "known", reasons: ["allow_listed"] },
  },
  {
    name: "somebody on an allow list that the mailbox wrote to",
    writtenTo: true,
    allowListed: true,
    text: "Yes.",
    expected: { level: "known", reasons: ["written_to", "allow_listed"] },
  },
  {
    name: "somebody known whom nothing proves",
    writtenTo: true,
    proof: "none",
    text: "Yes.",
    expected: unverified,
  },
  {
    name: "a domain that only watches DMARC",
    proof: "fails",
    policy: "none",
    text: "Sent through an old forwarder.",
    expected: unverified,
  },
  {
    name: "a display name with the sender's own address",
    from: '"ada@acme.example" <ada@acme.example>',
    text: "Hi",
    expected: verified,
  },
  {
    name: "a display name with another address of the organization",
    from: '"support@acme.example" <no-reply@mail.acme.example>',
    text: "Your ticket is open.",
    expected: verified,
  },
  {
    name: "a display name with an @ that is no address",
    from: '"Ada @ Acme" <ada@acme.example>',
    text: "Hi",
    expected: verified,
  },
  {
    name: "a handle as a display name",
    from: '"@ada_codes" <notify@social.example>',
    text: "New follower",
    expected: verified,
  },
  {
    name: "a list that wrote itself into From",
    from: `"'bob@home.example' via Team" <team@lists.example>`,
    replyTo: "bob@home.example",
    headers: ["List-Id: <team.lists.example>", "X-Original-From: bob@home.example"],
    text: "Hello list",
    expected: verified,
  },
  {
    name: "a list that answers go to, whose author nothing proves",
    proof: "none",
    from: "Bob <bob@home.example>",
    replyTo: "team@lists.example",
    headers: ["List-Id: <team.lists.example>", "List-Post: <mailto:team@lists.example>"],
    text: "Hello list",
    expected: unverified,
  },
  {
    name: "a proven shop whose answers go to a help desk elsewhere",
    replyTo: "acme@desk.example",
    text: "Your order is on its way.",
    expected: verified,
  },
  {
    name: "an unproven sender whose answers go to a subdomain",
    proof: "none",
    replyTo: "ada@reply.acme.example",
    text: "Hi",
    expected: unverified,
  },
  { name: "a mail without From", from: "", proof: "none", text: "Hi", expected: unverified },
  {
    name: "a domain that shares letters with a known one",
    from: "bob@ownership.example",
    text: "Hi",
    expected: verified,
  },
  {
    name: "a subdomain of the owner's domain",
    from: "ci@build.owner.example",
    text: "Passed",
    expected: verified,
  },
  {
    name: "an international domain of its own",
    from: "info@xn--bcher-kva.example",
    text: "Lesung",
    expected: verified,
  },
  {
    name: "a Cyrillic domain of its own",
    from: "info@xn--80ak6aa92e.example",
    text: "Привет",
    expected: verified,
  },
  {
    name: "a known domain beside which the mailbox wrote to one that looks alike",
    from: "ada@modern.example",
    known: ["modem.example", "modern.example"],
    text: "Hi",
    expected: verified,
  },
  {
    name: "simple HTML with the same text",
    text: "Hello Ada, lunch at noon?",
    html: "<p>Hello Ada,</p><p>lunch at <b>noon</b>?</p>",
    expected: verified,
  },
  {
    name: "a newsletter with a preheader",
    ...newsletter({
      before:
        '<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">Ten new parks open in the city this weekend, with music and food for all</div>',
    }),
    expected: verified,
  },
  {
    name: "a newsletter with a preheader and padding behind it",
    ...newsletter({
      before: `<span style="display:none!important;visibility:hidden;opacity:0;color:transparent;height:0;width:0">Ten new parks open${"&zwnj;&nbsp;".repeat(80)}</span>`,
    }),
    expected: verified,
  },
  {
    name: "padding of several invisible characters that repeats",
    ...newsletter({
      before: `<div style="display:none">Ten new parks${"&#847;&zwnj;&#8203;&#65279;".repeat(60)}</div>`,
    }),
    expected: verified,
  },
  {
    name: "padding of soft hyphens",
    ...newsletter({ before: `<div style="display:none">Ten new parks${"&#8199;&shy;".repeat(100)}</div>` }),
    expected: verified,
  },
  {
    name: "a preheader of 280 letters",
    ...newsletter({
      before: `<div style="font-size:1px;color:#ffffff;line-height:1px;max-height:0px;max-width:0px;opacity:0;overflow:hidden">${ipsum(50)}</div>`,
    }),
    expected: verified,
  },
  {
    name: "a mail builder's cells with a font size of zero around text with its own",
    html: `<table><tr>${built(ipsum(80))}</tr><tr>${built(ipsum(60))}</tr></table>`,
    expected: verified,
  },
  {
    name: "a version for phones with the same words, which other screens hide",
    html: `<div class="wide"><p>${ipsum(60)}</p></div><div class="phone" style="display:none;mso-hide:all"><p>${ipsum(60)}</p></div>`,
    expected: verified,
  },
  {
    name: "white text on a dark button",
    html: `<p>${ipsum(20)}</p><a href="https://acme.example" style="background-color:#1a73e8;color:#ffffff;padding:10px">${ipsum(20)}</a>`,
    expected: verified,
  },
  {
    name: "white text in a cell with a dark bgcolor",
    html: `<table><tr><td bgcolor="#222222"><font color="#ffffff">${ipsum(60)}</font></td></tr></table>`,
    expected: verified,
  },
  {
    name: "white text on a picture",
    html: `<table><tr><td background="https://acme.example/sky.jpg" style="color:#fff">${ipsum(60)}</td></tr></table>`,
    expected: verified,
  },
  {
    name: "white text whose dark background a class gives",
    html: `<style>.hero td, .hero{background:#123456}</style><div class="hero" style="color:#ffffff">${ipsum(60)}</div>`,
    expected: verified,
  },
  {
    name: "white text on a gradient",
    html: `<div style="background:linear-gradient(90deg,#000,#333);color:#fff">${ipsum(60)}</div>`,
    expected: verified,
  },
  {
    name: "a hidden reference number of a help desk",
    html: `<p>${ipsum(40)}</p><span style="color:#FFFFFF" aria-hidden="true">[K3R9ZL-4D7QN]</span>`,
    expected: verified,
  },
  {
    name: "hidden labels for screen readers",
    html: `<p>${ipsum(40)}</p><span style="position:absolute;left:-9999px">Main menu</span><span style="clip:rect(0,0,0,0)">Close</span>`,
    expected: verified,
  },
  {
    name: "media queries that hide",
    html: `<style>@media (max-width:600px){.wide{display:none}}</style><div class="wide">${ipsum(60)}</div>`,
    expected: verified,
  },
  {
    name: "a hidden paragraph without an end tag, and text behind it",
    html: `<div><p style="display:none">ref 77<p>${ipsum(60)}</div>`,
    expected: verified,
  },
  {
    name: "a hidden span without an end tag in a cell, and text behind it",
    html: `<table><tr><td><span style="display:none">ref 77</td><td>${ipsum(60)}</td></tr></table>`,
    expected: verified,
  },
  {
    name: "an emoji family and a flag of Scotland",
    subject: "👨‍👩‍👧‍👦 🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    text: "👩🏽‍🚀 ❤️‍🔥",
    expected: verified,
  },
  {
    name: "Persian with zero-width non-joiners",
    text: "می‌خواهم کتاب‌ها را ببینم. نمی‌دانم چه می‌شود.",
    expected: verified,
  },
  { name: "Hindi with joiners", text: "क्‍ष और र्‍य लिखना", expected: verified },
  {
    name: "soft hyphens in long words",
    text: "Donau\u00addampf\u00adschiff\u00adfahrts\u00adgesellschaft",
    expected: verified,
  },
  {
    name: "a byte order mark and spaces without width",
    text: "\ufeffHello\u200b world\u2060.",
    expected: verified,
  },
  { name: "Hebrew with direction marks", text: "\u200fשלום \u200e(ABC)\u200f להתראות", expected: verified },
  { name: "a row of zero-width spaces", text: `Hello${"\u200b".repeat(40)}`, expected: verified },
  {
    name: "a text part that only says that the mail is HTML",
    text: "Your mail program cannot show HTML. Open https://acme.example/view/77 in a browser to read this message.",
    html: `<p>${ipsum(60)}</p>`,
    expected: verified,
  },
  {
    name: "a text part with the same words and its links in full",
    text: `${ipsum(40)}\nhttps://acme.example/a/very/long/link?utm_source=mail&utm_medium=text\n${ipsum(20)}\n\nUnsubscribe: https://acme.example/u/1`,
    html: `<p>${ipsum(40)}</p><p><a href="https://acme.example/x">${ipsum(20)}</a></p><p>Unsubscribe</p>`,
    expected: verified,
  },
  {
    name: "a text part that says what the images show",
    text: `Summer sale. ${ipsum(30)}`,
    html: '<img src="https://acme.example/1.png"><img src="https://acme.example/2.png"><p>Unsubscribe</p>',
    expected: verified,
  },
  {
    name: "a text part with the alternative texts of images",
    text: "Summer sale in all our shops until Sunday. Bring this mail and save ten percent on shoes.",
    html: `<img alt="Summer sale in all our shops until Sunday"><img alt="Bring this mail and save ten percent on shoes"><p>${ipsum(25)}</p>`,
    expected: verified,
  },
  {
    name: "a text part in which a table became lines",
    text: `Item: Coffee\nPrice: 4.50\nItem: Cake\nPrice: 3.20\nTotal: 7.70\n${NBSP}\nThank you for your visit to our shop`,
    html: "<table><tr><th>Item</th><th>Price</th></tr><tr><td>Coffee</td><td>4.50</td></tr><tr><td>Cake</td><td>3.20</td></tr></table><p>Total: 7.70</p><p>Thank you for your visit to our shop</p>",
    expected: verified,
  },
  {
    name: "a short text and a file of HTML beside it, which is no alternative",
    text: "Here is the page that I told you about yesterday afternoon.",
    html: "<p>Rolling demo number three</p>",
    mixed: true,
    expected: verified,
  },
  {
    name: "Japanese in both parts",
    text: "ご注文ありがとうございます。商品は明日発送されます。到着までしばらくお待ちください。",
    html: "<p>ご注文ありがとうございます。</p><p>商品は明日発送されます。到着までしばらくお待ちください。</p>",
    expected: verified,
  },
]
