/** The tests of pure rules: they need nothing of the Worker's runtime. */
export const RULES = [
  'test/domain/*.test.ts',
  'test/access/{credential-record,ip-allowlist}.test.ts',
  'test/http/language.test.ts',
  'test/imports/{ndjson,reconcile}.test.ts',
  'test/lookups/*.test.ts',
  'test/platform/{deadline,shares,waiting-line}.test.ts',
  'test/snapshots/{batches,packed-format}.test.ts',
];
