import type { Fault } from './fault.ts';

export const PIPELINE: readonly Fault[] = [
  {
    breaks: 'A failure on our side is answered as a 404',
    file: 'src/serving/pipeline/respond.ts',
    find: "error : new Refusal('TEMPORARY_ERROR', textOf(error))",
    replacement: "error : new Refusal('NOT_FOUND')",
    reach: ['test/faults/objects.test.ts'],
  },
  {
    breaks: 'A failure does not say when to try again',
    file: 'src/serving/pipeline/respond.ts',
    find: "return { 'Retry-After': '1' };",
    replacement: 'return {};',
    reach: ['test/faults/objects.test.ts'],
  },
  {
    breaks: 'What an operation refuses is answered as a success',
    file: 'src/serving/pipeline/pipeline.ts',
    find: "if ('refused' in handled) {",
    replacement: "if ('never' in handled) {",
    reach: ['test/plate-check/refusals.test.ts'],
  },
  {
    breaks: 'A body of exactly the largest size is refused',
    file: 'src/serving/http/body.ts',
    find: 'if (length > maxBytes) {',
    replacement: 'if (length >= maxBytes) {',
    reach: ['test/conformance/operations.test.ts', 'test/faults/slow-bodies.test.ts'],
  },
  {
    breaks: 'A body that is not UTF-8 is corrected and read',
    file: 'src/serving/http/body.ts',
    find: 'fatal: true, ignoreBOM: false',
    replacement: 'fatal: false, ignoreBOM: false',
    reach: ['test/conformance/operations.test.ts'],
  },
  {
    breaks: 'A JSON list is taken for an object',
    file: 'src/serving/http/body.ts',
    find: ' || value === null || Array.isArray(value)) {',
    replacement: ' || value === null) {',
    reach: ['test/plate-check/refusals.test.ts', 'test/configuration/errors.test.ts'],
  },
  {
    breaks: 'A body in another charset is read as UTF-8',
    file: 'src/serving/http/body.ts',
    find: "charsets.some((charset) => charset !== 'utf-8')",
    replacement: 'charsets.length > 9',
    reach: ['test/conformance/operations.test.ts'],
  },
  {
    breaks: 'The refusal of a method does not say which methods there are',
    file: 'src/serving/pipeline/routes.ts',
    find: "{ headers: { Allow: allow.join(', ') } }",
    replacement: '{}',
    reach: ['test/conformance/operations.test.ts'],
  },
  {
    breaks: 'Proxies may keep an answer about a plate',
    file: 'src/serving/pipeline/call.ts',
    find: "'no-store, private'",
    replacement: "'private'",
    reach: ['test/conformance/operations.test.ts'],
  },
  {
    breaks: 'Where there is no administration, its paths can be recognized by their methods',
    file: 'src/serving/pipeline/routes.ts',
    find: 'if (isAdministration && !(await',
    replacement: 'if (false && !(await',
    reach: ['test/admin/administrator.test.ts'],
  },
];
