import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';
import { collectAssets } from '../src/local/assets.ts';

const root = new URL('..', import.meta.url).pathname;

collectAssets();

export default defineConfig({
  root,
  test: {
    reporters: ['default', `${root}test/support/closing-line.ts`],
    // The service's structured log is part of what it does, not of what a test run has to say.
    onConsoleLog: (l) => l.includes('STAT'),
    projects: [
      {
        root,
        plugins: [
          cloudflareTest({
            wrangler: { configPath: `${root}wrangler.toml` },
            miniflare: {
              bindings: {
                ADMIN_TOKEN: 'admin-token-of-the-tests',
                TOKEN_KEY: 'token-key-of-the-tests',
                // The same in every run, unless the environment asks for another.
                TEST_SEED: process.env.TEST_SEED ?? '20260307',
                TEST_MIGRATIONS: await readD1Migrations(`${root}migrations`),
              },
            },
          }),
        ],
        test: {
          name: 'workerd',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.node.test.ts', 'test/**/*.browser.test.ts'],
          setupFiles: ['test/support/apply-migrations.ts'],
        },
      },
      {
        root,
        test: { name: 'node', include: ['test/**/*.node.test.ts'] },
      },
      {
        root,
        // Apart, since it needs a Chromium on the machine.
        test: { name: 'browser', include: ['test/**/*.browser.test.ts'] },
      },
    ],
  },
});
