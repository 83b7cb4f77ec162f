/** The built files of the dashboard (docs/decisions/0077). */
import { Context, Option } from "effect"

/** A file whose name has a hash of its content, so that its content never changes. */
export interface DashboardAsset {
  /** such as `text/css; charset=utf-8` */
  readonly contentType: string
  readonly content: Uint8Array
  readonly brotli: Uint8Array
  readonly gzip: Uint8Array
}

/** A page, and what it needs beside the files that every page needs. */
export interface DashboardPage {
  /** as the router writes it, such as `/dashboard/mail/threads/:threadId` */
  readonly path: `/${string}`
  /** names of assets */
  readonly scripts: ReadonlyArray<string>
  /** addresses of the API that the page asks at first, in their order */
  readonly data: ReadonlyArray<string>
  /** the same when its own address has a query */
  readonly dataOfQuery: ReadonlyArray<string>
}

export interface Dashboard {
  /** the HTML of every page; `<!-- settings -->` is where the settings of the service go, `<!-- preloads -->` where the page's own files */
  readonly shell: string
  readonly pages: ReadonlyArray<DashboardPage>
  /** by name, such as `main-K3JQ7ZB2.js` */
  readonly assets: ReadonlyMap<string, DashboardAsset>
}

/** None by default: then the service has plain pages at the addresses to which its mails lead. */
export class DashboardFiles extends Context.Reference<DashboardFiles>()("@mailroom/DashboardFiles", {
  defaultValue: (): Option.Option<Dashboard> => Option.none(),
}) {}
