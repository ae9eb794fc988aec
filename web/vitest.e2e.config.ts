import { defineConfig } from 'vitest/config';

// One browser for all files, so that two cores are enough and the order is always the same.
export default defineConfig({
  test: {
    include: ['../tests/web/e2e/*.test.ts'],
    environment: 'node',
    fileParallelism: false,
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
});
