/** The tests of pure rules: they need nothing of the Worker's runtime. */
export const RULES = [
  'test/domain/*.test.ts',
  'test/access/{credential-record,ip-allowlist}.test.ts',
  'test/http/language.test.ts',
];
