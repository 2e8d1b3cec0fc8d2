import { defineConfig } from 'vitest/config';

/**
 * The tests of the pure rules, in plain Node and in one process. Random ones are left out: a mutant must fall by a case
 * that stands in a table, and fall every time.
 */
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: [
      'test/domain/*.test.ts',
      'test/access/{credential-record,ip-allowlist}.test.ts',
      'test/imports/{ndjson,reconcile}.test.ts',
      'test/lookups/*.test.ts',
      'test/snapshots/{batches,packed-format}.test.ts',
    ],
    exclude: ['**/*.random.test.ts'],
    setupFiles: ['test/mutation/like-workerd.ts'],
    isolate: false,
  },
});
