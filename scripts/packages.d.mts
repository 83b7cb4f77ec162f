/** Types of packages.mjs, for the tests of the packages. */
export declare const readManifest: (folder: string) => {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, unknown>>
}
export declare const workspaces: () => ReadonlyArray<string>
export declare const published: () => ReadonlyArray<string>
export declare const pack: (target: string) => ReadonlyArray<string>
