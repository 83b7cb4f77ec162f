/** Highlights code when the site is built, so that pages need no script for it. */
import type { LanguageFn } from "highlight.js"
import hljs from "highlight.js/lib/core"
import bash from "highlight.js/lib/languages/bash"
import http from "highlight.js/lib/languages/http"
import ini from "highlight.js/lib/languages/ini"
import json from "highlight.js/lib/languages/json"
import nginx from "highlight.js/lib/languages/nginx"
import sql from "highlight.js/lib/languages/sql"
import typescript from "highlight.js/lib/languages/typescript"
import yaml from "highlight.js/lib/languages/yaml"
import { escapeHtml } from "./html.js"

const languages: Readonly<Record<string, LanguageFn>> = {
  sh: bash,
  http,
  ini,
  json,
  nginx,
  sql,
  ts: typescript,
  js: typescript,
  yaml,
}
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language)

/** The code as HTML; plain when its language is not known. */
export const highlight = (code: string, language: string): string =>
  language in languages ? hljs.highlight(code, { language }).value : escapeHtml(code)

/** A block of code that can be reached by keyboard, because it may scroll. `label`: what it is, for screen readers. */
export const codeBlock = (code: string, language: string, label = "Code"): string =>
  `<figure class="code"><pre tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${highlight(code, language)}</code></pre></figure>`
