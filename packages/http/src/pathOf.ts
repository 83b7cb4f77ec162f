/** The path of a request's URL as it came: without the query. */
export const pathOf = (url: string): string => url.split("?", 1)[0] ?? ""
