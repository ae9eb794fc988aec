import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { dir: '../tests/web/unit', environment: 'node', globals: true, testTimeout: 120_000 },
});
