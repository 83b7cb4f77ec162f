/** undici's pool, to be loaded on use: in a bundle, a dynamic import of the package itself, which is CommonJS, has no names. */
export { Pool } from "undici"
