import { readingOf } from "../src/reading/readingOf.js"
import { describe, expect, it } from "@effect/vitest"

const extracted = (html: string, isReply = true, subject = "Plans") =>
  readingOf({ text: null, html, subject, isReply }).extractedText

const outlookHeader =
  "<b>From:</b> Ann &lt;ann@a.example&gt;<br><b>Sent:</b> Monday, January 1, 2024 12:00 PM<br>" +
  "<b>To:</b> Bob<br><b>Subject:</b> Plans"

/** A reply of each client: "Yes." with history and a signature. */
const clients: ReadonlyArray<readonly [client: string, html: string]> = [
  [
    "Gmail",
    '<div dir="ltr">Yes.</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Mon, Jan 1, 2024 at 12:00 PM Ann &lt;<a href="mailto:ann@a.example">ann@a.example</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex"><div>lunch?</div></blockquote></div>',
  ],
  [
    "Gmail, in a language that nobody knows",
    '<div dir="ltr">Yes.</div><br><div class="gmail_quote"><div class="gmail_attr">Xyzzy 1 plugh Ann:<br></div><blockquote class="gmail_quote"><div>lunch?</div></blockquote></div>',
  ],
  [
    "Gmail with a signature",
    '<div dir="ltr">Yes.<div><br></div><span class="gmail_signature_prefix">-- </span><br><div dir="ltr" class="gmail_signature" data-smartmail="gmail_signature"><div>Bob<div>Example Ltd</div></div></div></div><br><div class="gmail_quote"><div class="gmail_attr">On Mon, Jan 1, 2024 at 12:00 PM Ann wrote:<br></div><blockquote class="gmail_quote">lunch?</blockquote></div>',
  ],
  [
    "Apple Mail",
    '<html><body style="overflow-wrap: break-word;">Yes.<br id="lineBreakAtBeginningOfMessage"><div><br><blockquote type="cite"><div>On Jan 1, 2024, at 12:00, Ann &lt;ann@a.example&gt; wrote:</div><br class="Apple-interchange-newline"><div>lunch?</div></blockquote></div><br></body></html>',
  ],
  [
    "Mail on an iPhone",
    '<html><body dir="auto">Yes.<br><br><div dir="ltr">Sent from my iPhone</div><div dir="ltr"><br><blockquote type="cite">On Jan 1, 2024, at 12:00, Ann &lt;ann@a.example&gt; wrote:<br><br></blockquote></div><blockquote type="cite"><div dir="ltr">lunch?</div></blockquote></body></html>',
  ],
  [
    "Outlook for Windows",
    `<div class="WordSection1"><p class="MsoNormal">Yes.<o:p></o:p></p><p class="MsoNormal"><o:p>&nbsp;</o:p></p><div><div style="border:none;border-top:solid #E1E1E1 1.0pt"><p class="MsoNormal">${outlookHeader}<o:p></o:p></p></div></div><p class="MsoNormal">lunch?</p></div>`,
  ],
  [
    "Outlook on the web",
    `<div class="elementToProof">Yes.</div><div id="Signature"><p>Bob</p></div><div id="appendonsend"></div><hr style="display:inline-block;width:98%"><div id="divRplyFwdMsg" dir="ltr"><font>${outlookHeader}</font></div><div>lunch?</div>`,
  ],
  [
    "Outlook on the web, in a language that nobody knows",
    '<div>Yes.</div><hr><div id="divRplyFwdMsg"><b>Xyzzy:</b> Ann<br></div><div>lunch?</div>',
  ],
  [
    "Outlook for iOS",
    `<div>Yes.</div><div id="ms-outlook-mobile-signature">Get <a href="https://aka.ms/o0ukef">Outlook for iOS</a></div><div id="mail-editor-reference-message-container"><div>${outlookHeader}</div><div>lunch?</div></div>`,
  ],
  [
    "Outlook, quoted again by Outlook",
    `<div>Yes.</div><div id="x_divRplyFwdMsg">${outlookHeader}</div><div>lunch?</div>`,
  ],
  [
    "Thunderbird",
    '<p>Yes.</p><div class="moz-cite-prefix">On 1/1/24 12:00, Ann wrote:<br></div><blockquote type="cite" cite="mid:x@a.example"><p>lunch?</p></blockquote><pre class="moz-signature" cols="72">-- \nBob</pre>',
  ],
  [
    "Yahoo Mail",
    '<div>Yes.</div><div id="ydp1yahoo_quoted_1" class="yahoo_quoted"><div><div>On Monday, January 1, 2024 at 12:00:00 PM GMT+1, Ann &lt;ann@a.example&gt; wrote:</div><div><br></div><div>lunch?</div></div></div>',
  ],
  [
    "Proton Mail",
    '<div>Yes.</div><div class="protonmail_signature_block">Sent with <a href="https://proton.me/">Proton Mail</a> secure email.</div><div class="protonmail_quote">On Monday, January 1st, 2024 at 12:00, Ann &lt;ann@a.example&gt; wrote:<br><br><blockquote class="protonmail_quote" type="cite">lunch?</blockquote><br></div>',
  ],
  [
    "Zimbra",
    '<div>Yes.</div><hr id="zwchr" data-marker="__DIVIDER__"><div data-marker="__HEADERS__"><b>From: </b>"Ann"<br><b>To: </b>"Bob"<br></div><div data-marker="__QUOTED_TEXT__">lunch?</div>',
  ],
  [
    "Zoho Mail",
    '<div>Yes.</div><div class="zmail_extra"><div>---- On Mon, 01 Jan 2024 12:00:00 +0100 Ann &lt;ann@a.example&gt; wrote ---</div><blockquote>lunch?</blockquote></div>',
  ],
  [
    "Yandex Mail",
    '<div>Yes.</div><div> </div><div>01.01.2024, 12:00, "Ann" &lt;ann@a.example&gt;:</div><blockquote><p>lunch?</p></blockquote>',
  ],
  [
    "QQ Mail",
    '<div>Yes.</div><div><br></div><div style="font-size:12px">------------------&nbsp;原始邮件&nbsp;------------------</div><div><b>发件人:</b>&nbsp;"Ann"&lt;ann@a.example&gt;;<br><b>主题:</b>&nbsp;x</div><div>lunch?</div>',
  ],
]

describe("a reply in HTML only, without history and signature", () => {
  it.each(clients)("%s", (_client, html) => {
    expect(extracted(html)).toBe("Yes.")
  })

  it("replies between quotes stay", () => {
    expect(
      extracted(
        'Hi Ann,<div class="gmail_quote"><div class="gmail_attr">On Mon, Jan 1, 2024 at 12:00 PM Ann wrote:</div><blockquote class="gmail_quote">Lunch?</blockquote><div>Yes.</div><blockquote class="gmail_quote">Where?<blockquote>old</blockquote></blockquote><div>At Joe&#39;s.</div></div>',
      ),
    ).toBe("Hi Ann,\n\nYes.\n\nAt Joe's.")
  })

  it("a quote ends with its element", () => {
    expect(extracted('Hi<div class="yahoo_quoted"><div>old</div><div>old</div></div><div>Yes.</div>')).toBe(
      "Hi\n\nYes.",
    )
  })
})

describe("forwarded content stays", () => {
  it.each([
    [
      "Gmail",
      "FYI",
      '<div class="gmail_quote"><div class="gmail_attr">---------- Forwarded message ---------<br>From: Carl<br></div>Hi<br></div>',
      "Plans",
    ],
    [
      "Apple Mail",
      "FYI",
      '<blockquote type="cite"><div>Begin forwarded message:</div><div>From: Carl</div><div>Hi</div></blockquote>',
      "Plans",
    ],
    [
      "Outlook",
      "FYI",
      `<div id="appendonsend"></div><div id="divRplyFwdMsg">${outlookHeader}</div><div>Hi</div>`,
      "FW: Plans",
    ],
    [
      "Thunderbird",
      "FYI",
      '<div class="moz-forward-container">-------- Forwarded Message --------<table><tr><th>From:</th><td>Carl</td></tr></table>Hi</div>',
      "Fwd: Plans",
    ],
  ])("%s", (_client, note, html, subject) => {
    expect(extracted(`<div>${note}</div>${html}`, false, subject)).toMatch(/^FYI\n[^]*(Carl|Ann)[^]*\nHi$/)
  })
})

describe("HTML as text", () => {
  it.each([
    ["blocks and breaks are lines", "<div>a</div><div>b<br>c</div>", "a\nb\nc"],
    ["paragraphs have space between them", "<p>a</p><p>b</p>", "a\n\nb"],
    ["space is folded, entities are read", " a \n b&nbsp;&amp;&#x20ac;<b> c</b> ", "a b &€ c"],
    ["list items have a dash", "<ul><li>a</li><li>b</li></ul>", "- a\n- b"],
    ["preformatted text keeps its lines", "<pre>a\n  b</pre>", "a\n  b"],
    ["cells are apart", "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"],
    [
      "scripts, styles and comments are not read",
      "<style>p{}</style><script>1</script><!-- x --><title>t</title>a",
      "a",
    ],
    ["what is hidden is not read", '<div style="display: none">ignore<div>x</div>this</div>a', "a"],
    [
      "an emoji that became an image is text",
      'a <img alt="😀" src="x"> <img alt="Logo of Example Ltd" src="y">',
      "a 😀",
    ],
    ["padding behind a preview is nothing", "a<div>&#847;&zwnj;&nbsp;&#8199;&#65279;</div>", "a"],
    [
      "a blockquote in a mail that answers none is content",
      "<p>He said:</p><blockquote>never</blockquote>",
      "He said:\n\nnever",
    ],
  ])("%s", (_rule, html, text) => {
    expect(extracted(html, false)).toBe(text)
  })
})
