declare module "mailauth/lib/tools.js" {
  /** The first of the domains with the same organisational domain as From's. */
  export const getAlignment: (fromDomain: string, domains: Array<string>) => object | false
}
