const OUTPUT = '.wrangler/mutation';

export default {
  mutate: ['src/domain/**/*.ts', 'src/serving/access/{credential-record,ip-allowlist}.ts'],
  testRunner: 'vitest',
  // Of the tests, those that import the mutated file: what is decided once, when a file is loaded, is tried with them all.
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: true },
  coverageAnalysis: 'perTest',
  concurrency: 2,
  // What is mutated is a copy, of nothing but code. Types are the business of `npm run check`.
  ignorePatterns: ['**', '!src/**/*.ts', '!test/**/*.{ts,tsv}', '!package.json', 'node_modules'],
  tsconfigFile: 'none',
  disableTypeChecks: false,
  tempDirName: `${OUTPUT}/sandbox`,
  cleanTempDir: 'always',
  reporters: ['clear-text', 'html', 'json'],
  clearTextReporter: { allowColor: false, reportTests: false },
  htmlReporter: { fileName: `${OUTPUT}/report.html` },
  jsonReporter: { fileName: `${OUTPUT}/report.json` },
  thresholds: { high: 95, low: 90, break: 90 },
};
