declare module "mailauth/lib/tools.js" {
  /** The first of the domains with the same organizational domain as `fromDomain` (RFC 7489 §3.2); false without one. */
  export const getAlignment: (fromDomain: string, domains: Array<string>) => object | false
}
