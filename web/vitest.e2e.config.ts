import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // The tests lie outside of this folder, which has the packages.
  resolve: { alias: { 'playwright-core': fileURLToPath(new URL('node_modules/playwright-core/index.mjs', import.meta.url)) } },
  test: {
    dir: '../tests/web/e2e',
    environment: 'node',
    globals: true,
    // One browser at a time, so that two cores are enough and the order is always the same.
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
