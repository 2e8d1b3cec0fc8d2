import { defineConfig } from 'vitest/config';
import { RULES } from '../rules.ts';

/**
 * The tests of the pure rules, in plain Node and in one process. Random ones are left out: a mutant must fall by a case
 * that stands in a table, and fall every time.
 */
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: RULES,
    exclude: ['**/*.random.test.ts'],
    setupFiles: ['test/support/like-workerd.ts'],
    isolate: false,
    // A machine that is busy with something else is not a failure of a test.
    testTimeout: 60_000,
  },
});
