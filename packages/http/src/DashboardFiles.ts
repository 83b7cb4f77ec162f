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

export interface Dashboard {
  /** the HTML of every page; `<!-- settings -->` is where the settings of the service go */
  readonly shell: string
  /** by name, such as `main-K3JQ7ZB2.js` */
  readonly assets: ReadonlyMap<string, DashboardAsset>
}

/** None by default: then the service has plain pages at the addresses to which its mails lead. */
export class DashboardFiles extends Context.Reference<DashboardFiles>()("@mailroom/DashboardFiles", {
  defaultValue: (): Option.Option<Dashboard> => Option.none(),
}) {}
