"""Reads mails (JSON list of base64 on stdin) as Python's email package does, and says what is in them (JSON)."""
import base64
import email
import email.policy
import json
import sys
from email.header import decode_header, make_header
from email.utils import parseaddr


def words(text):
    """Encoded words as text, by the older reader: the newer one puts spaces between those of a name (gh-92081)."""
    return str(make_header(decode_header(text or "")))


def read(raw):
    mail = email.message_from_bytes(raw, policy=email.policy.default)
    older = email.message_from_bytes(raw)

    def body(kind):
        part = mail.get_body(preferencelist=(kind,))
        return None if part is None else part.get_content()

    return {
        "subject": mail["subject"],
        "name": words(parseaddr(older["from"].replace("\r\n", ""))[0]),
        "text": body("plain"),
        "html": body("html"),
        "files": [
            {
                "disposition": part.get_filename(),
                # For readers that know only the older parameter (RFC 2047 in it, against RFC 2231).
                "type": words(part.get_param("name", header="content-type")),
                "bytes": base64.b64encode(part.get_payload(decode=True)).decode(),
            }
            for part in mail.iter_attachments()
        ],
        "defects": [str(defect) for part in mail.walk() for defect in part.defects],
    }


json.dump([read(base64.b64decode(raw)) for raw in json.load(sys.stdin)], sys.stdout)
