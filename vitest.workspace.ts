import { defineWorkspace } from "vitest/config"

/** Tests run what was built: `npm test` builds first, and packages resolve to each other's `dist`. */
export default defineWorkspace([
  {
    test: {
      name: "mailroom",
      include: ["packages/*/test/**/*.test.ts", "apps/*/test/**/*.test.ts"],
      exclude: ["**/dist/**", "**/node_modules/**"],
      testTimeout: 30_000,
    },
  },
])
