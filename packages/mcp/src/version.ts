/** The version of the package. `npm run release` writes it, because a bundle has no package.json to read. */
export const VERSION = "0.1.0"
