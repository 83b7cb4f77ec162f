import { defineWorkspace } from "vitest/config"

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
