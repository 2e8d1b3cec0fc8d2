import { execSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';
import { makeClientTypes } from '../tools/clients/types.ts';
import { RULES } from './rules.ts';
import Counts from './support/counts.ts';

const root = new URL('..', import.meta.url).pathname;

makeClientTypes();
execSync('npm run build', { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });

/** One for each core. The default leaves one for the process that waits, on a small machine one of two. */
const maxWorkers = availableParallelism();

/** A machine that is busy with something else is not a failure. */
const testTimeout = 60_000;
const hookTimeout = 120_000;
const patiently = { poll: { timeout: 20_000 } };

/** Every case, all rounds and a fresh seed; else the short forms, with a seed that is the same in every run. */
const thorough = process.env.THOROUGH === '1';
const seed = Number(process.env.TEST_SEED ?? (thorough ? Math.floor(Math.random() * 1e9) : 20_260_307));

/** The Worker's runtime, with what the tests bind beside its own. */
const inWorkerd = async () =>
  cloudflareTest({
    wrangler: { configPath: `${root}wrangler.toml` },
    miniflare: {
      // The database of another deployment, into which cities are restored.
      d1Databases: { OTHER_CELL: 'other-cell' },
      bindings: {
        ADMIN_TOKEN: 'admin-token-of-the-tests-long-enough',
        TOKEN_KEY: 'token-key-of-the-tests-long-enough',
        DIGEST_KEY: 'digest-key-of-the-tests-long-enough',
        TEST_MIGRATIONS: await readD1Migrations(`${root}migrations`),
      },
    },
  });

/** Has the tests call what is deployed: the modules as they are built, in place of the sources. */
const whatIsBuilt = [
  { find: /^.*\/src\/app\.ts$/, replacement: `${root}test/each-operation/built-app.ts` },
  { find: /^.*\/src\/worker\.ts$/, replacement: `${root}.wrangler/built/worker.mjs` },
];

export default defineConfig({
  root,
  test: {
    reporters: ['default', new Counts(seed)],
    slowTestThreshold: 10_000,
    // The service's structured log is part of what it does, not of what a test run has to say.
    onConsoleLog: () => false,
    provide: { seed, thorough },
    projects: [
      {
        root,
        plugins: [await inWorkerd()],
        test: {
          name: 'workerd',
          testTimeout,
          hookTimeout,
          // After the others, which wait for processes of their own most of their time.
          sequence: { groupOrder: 1 },
          maxWorkers: maxWorkers + 1,
          // Files share a runtime: see the setup file, which keeps them apart.
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.{node,browser}.test.ts', 'test/each-operation/*'],
          setupFiles: ['test/support/fresh-start.ts'],
        },
      },
      {
        root,
        test: {
          name: 'node',
          testTimeout,
          hookTimeout,
          expect: patiently,
          maxWorkers: maxWorkers * 2,
          isolate: false,
          include: ['test/**/*.node.test.ts'],
        },
      },
      {
        root,
        // The two of `npm run test:fast`: the same files again, the rules in plain Node, which starts at once.
        test: {
          name: 'rules',
          testTimeout,
          hookTimeout,
          maxWorkers,
          isolate: false,
          include: RULES,
          // What draws its cases at random asks the runtime for its seed, and takes its time.
          exclude: ['**/*.random.test.ts'],
          setupFiles: ['test/support/like-workerd.ts'],
        },
      },
      {
        root,
        plugins: [await inWorkerd()],
        resolve: { alias: whatIsBuilt },
        test: {
          name: 'each-operation',
          testTimeout,
          hookTimeout,
          sequence: { groupOrder: 1 },
          maxWorkers: maxWorkers + 1,
          include: ['test/each-operation/*.test.ts'],
          setupFiles: ['test/support/fresh-start.ts'],
        },
      },
      {
        root,
        // Apart, since it needs a Chromium on the machine.
        test: {
          name: 'browser',
          testTimeout,
          hookTimeout,
          expect: patiently,
          maxWorkers,
          include: ['test/**/*.browser.test.ts'],
        },
      },
    ],
  },
});
