/** A page of the site, before it is framed by the layout. */

/** A heading that other pages can link to. */
export interface Heading {
  readonly id: string
  readonly text: string
  readonly level: number
}

/** A part of a page that the search finds: a heading with the words below it. */
export interface SearchSection {
  /** the id of the heading; empty for the beginning of the page */
  readonly anchor: string
  readonly heading: string
  readonly text: string
}

export interface Page {
  /** below `/docs/`, such as `guides/quick-start`; empty for the first page */
  readonly path: string
  readonly title: string
  /** a sentence for search engines */
  readonly description: string
  /** the body, with its `h1` */
  readonly html: string
  readonly headings: ReadonlyArray<Heading>
  readonly sections: ReadonlyArray<SearchSection>
  /** `reference` has examples beside the text; `text` has its headings there */
  readonly layout: "text" | "reference"
}

/** The address of a page, from the root of the service. */
export const urlOf = (path: string): string => (path === "" ? "/docs" : `/docs/${path}`)
