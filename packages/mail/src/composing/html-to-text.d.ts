/** The part of html-to-text that we use; the package has no types. */

declare module "html-to-text" {
  interface Element {
    readonly attribs?: Readonly<Record<string, string>>
  }

  interface Builder {
    readonly addInline: (text: string) => void
  }

  export const compile: (options: {
    readonly wordwrap: false
    readonly limits: { readonly maxDepth: number; readonly maxChildNodes: number }
    readonly formatters: Readonly<Record<string, (element: Element, walk: unknown, builder: Builder) => void>>
    readonly selectors: ReadonlyArray<{
      readonly selector: string
      readonly format?: string
      readonly options?: Readonly<Record<string, boolean>>
    }>
  }) => (html: string) => string
}
