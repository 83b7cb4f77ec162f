import { mimeParserContract } from "./mimeParser.contract.js"
import { MimeParserInline } from "@mailroom/mail"

mimeParserContract("MimeParserInline", MimeParserInline.layer)
