/** spec, Endpoints, Signup and account. */
import type { Section } from "./Section.js"

export const signup = [
  {
    where: "Endpoints, POST /v1/signup",
    rows: {
      "signup.create.201":
        "Email, password and slug make an account: its slug, its domain, its key, what comes next",
      "signup.create.409-slug": "A slug that is registered already is refused with 409",
      "signup.create.429": "Too many signups of one address are refused with 429",
    },
  },
] as const satisfies ReadonlyArray<Section>
