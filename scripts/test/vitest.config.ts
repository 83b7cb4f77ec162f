/** `npm run test:packages`. */
import { defineConfig } from "vitest/config"
import { fileURLToPath } from "node:url"

export default defineConfig({
  test: {
    root: fileURLToPath(new URL("..", import.meta.url)),
    include: ["test/*.test.ts"],
    testTimeout: 120_000,
    retry: process.env["CI"] === undefined ? 0 : 1,
    hookTimeout: 120_000,
  },
})
