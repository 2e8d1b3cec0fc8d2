import { type Schema, Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { ERROR_STATUS } from '../../src/base/errors/error-codes.ts';
import { reportRequest } from '../../src/core/active-by-area/contract.ts';
import { plateCheckRequest } from '../../src/core/plate-check/contract.ts';
import { optionsRequest } from '../../src/core/subscription-options/contract.ts';
import { sessionLine } from '../../src/intake/imports/contract.ts';
import { configurationDocument } from '../../src/office/configuration/contract.ts';
import { issueRequest, rotateRequest } from '../../src/office/credentials/contract.ts';
import description from '../../src/serving/openapi/openapi.json' with { type: 'json' };
import { makeDocument } from '../../tools/description/document/openapi/document.ts';
import { bodyMediaType, type DescribedOperation } from '../../tools/description/document/openapi/parts.ts';
import { answerSchemas, bodySchema, refTo } from '../../tools/description/document/openapi/schemas.ts';
import { DESCRIBED, OPERATIONS } from '../suites/operations.ts';

/** The name of a schema. */
const nameOf = (schema: z.ZodType) => refTo(schema).$ref.split('/').at(-1) as Name;

const { schemas } = description.components;
type Name = keyof typeof schemas;

/** A component's schema, with the others that it refers to. */
function validatorOf(name: Name): Validator {
  const text = JSON.stringify({ $ref: `#/$defs/${name}`, $defs: schemas });
  return new Validator(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')) as Schema, '2020-12');
}

/** The example of an operation's answer. */
function answerOf({ of }: DescribedOperation): unknown {
  const paths = description.paths as unknown as Record<string, Record<string, DescribedAnswers>>;
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const found = operations.find(({ operationId }) => operationId === of.id);
  return found?.responses[of.status ?? 200]?.content?.[of.mediaType ?? 'application/json']?.example;
}

interface DescribedAnswers {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { content?: Record<string, { example?: unknown }> }>>;
}

const accepts = (name: Name, value: unknown): boolean => validatorOf(name).validate(value).valid;

describe('The description', () => {
  it('is what the schemas make of it', () => {
    expect(description).toEqual(JSON.parse(JSON.stringify(makeDocument(DESCRIBED))));
  });

  it('has words for every field', () => {
    const wordless: string[] = [];
    const look = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null) return;
      for (const [name, part] of Object.entries(node)) {
        // A field may itself be called so.
        const isField = path.endsWith('/properties') && !path.endsWith('/properties/properties');
        if (isField && !('description' in part)) wordless.push(`${path}/${name}`);
        look(part, `${path}/${name}`);
      }
    };
    look(schemas, 'schemas');
    look(description.components.responses, 'responses');
    expect(wordless).toEqual([]);
  });

  it('forbids no further property in an answer: a later version may add some', () => {
    const closed: string[] = [];
    const look = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null) return;
      if ('additionalProperties' in node && node.additionalProperties === false) closed.push(path);
      for (const [name, part] of Object.entries(node)) look(part, `${path}/${name}`);
    };
    const answers = new Set<string>();
    const reach = (name: Name): void => {
      if (answers.has(name)) return;
      answers.add(name);
      look(schemas[name], name);
      for (const [, inner] of JSON.stringify(schemas[name]).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
        reach(inner as Name);
      }
    };
    for (const schema of DESCRIBED.flatMap(answerSchemas)) reach(nameOf(schema));
    look(description.components.responses, 'responses');
    expect(answers.size).toBeGreaterThan(80);
    expect(closed).toEqual([]);
  });

  it('forbids further properties in every request that refuses them', () => {
    const bodies = DESCRIBED.flatMap((operation) => bodySchema(operation) ?? []);
    const isClosed = (schema: z.ZodObject): boolean =>
      Object.entries(schemas[nameOf(schema)]).some(
        ([keyword, value]) => keyword === 'additionalProperties' && value === false,
      );
    const refuses = (schema: z.ZodObject): boolean =>
      schema.safeParse({ added_later: 1 }).error?.issues.some(({ code }) => code === 'unrecognized_keys') ??
      false;
    expect(bodies.filter(isClosed).map(nameOf)).toEqual(bodies.filter(refuses).map(nameOf));
    expect(bodies.filter(isClosed).length).toBeGreaterThan(10);
  });

  it('lets a validator of today take new values of open lists', () => {
    expect(accepts('Warning', { code: 'OF_TOMORROW', message: 'x' })).toBe(true);
    expect(accepts('Doubt', { code: 'OF_TOMORROW', message: 'x' })).toBe(true);
    expect(accepts('RejectedLine', { line: 1, code: 'OF_TOMORROW', message: 'x' })).toBe(true);
  });

  it('has one answer for each error status, which says when each of its codes is answered', () => {
    const responses = Object.values(description.components.responses);
    const documented = responses.map((response) => {
      const { schema, example } = response.content['application/json'];
      expect(schema).toEqual({ $ref: '#/components/schemas/ErrorResponse' });
      expect(accepts('ErrorResponse', example)).toBe(true);
      return [...response.description.matchAll(/^- `(\w+)`: ./gm)].map(([, code]) => code);
    });
    const byStatus = Object.groupBy(Object.entries(ERROR_STATUS), ([, status]) => status);
    expect(documented).toEqual(Object.values(byStatus).map((those = []) => those.map(([code]) => code)));
  });

  it('names every operation and action that the call log keeps, and each that is kept whole', () => {
    const { operation, action, request, response } = schemas.Call.properties;
    for (const { log } of OPERATIONS) {
      if (log === undefined) continue;
      expect(operation.description).toContain(`\`${log.operation}\``);
      if (log.action !== undefined) expect(action.description).toContain(`\`${log.action}\``);
      if (log.whole === undefined) continue;
      for (const { description: kept } of [request, response]) {
        expect(kept).toContain(`\`${log.operation}\``);
      }
    }
  });

  it.each(DESCRIBED.filter(({ of }) => bodyMediaType(of) === 'application/json'))(
    'gives examples of $of.id that its schemas take',
    (operation) => {
      const taken = bodySchema(operation) ?? expect.fail('it takes no body');
      expect(taken.safeParse(operation.request).error).toBeUndefined();
      expect(accepts(nameOf(taken), operation.request)).toBe(true);
      const [answered] = answerSchemas(operation);
      expect(answered?.safeParse(answerOf(operation)).error).toBeUndefined();
    },
  );
});

/** Values that are on the border of what a field takes; the description must draw it where the code does. */
describe('A request schema of the description takes what the code takes', () => {
  const texts = [undefined, null, '', 'x', 7, true, [], {}];
  const instants = [
    ...['2026-03-07T17:44Z', '2026-03-07T17:44:12+01:00', '2026-03-07T17:44:12.123456789-11:30'],
    ...['2026-03-07', '2026-03-07T17:44:12', '2026-03-07T17:44:12.1234567890Z', '2026-03-07 17:44Z', 'now'],
  ];
  const length = (most: number) => ['x'.repeat(most), 'x'.repeat(most + 1), '🅿'.repeat(most)];
  const integers = [0, 1, -1, 1.5, '1', 604_800, 604_801, 10_000, 10_001];

  const CHECK = { name: 'PlateCheckRequest', schema: plateCheckRequest, base: { plate: 'AB123CD' } } as const;
  const REPORT = { name: 'ReportRequest', schema: reportRequest, base: {} } as const;
  const SESSION = {
    ...{ name: 'SessionLine', schema: sessionLine },
    base: { session_id: '1', plate: 'AB123CD', area_code: 'S1', starts_at: '2026-03-07T17:44Z' },
  } as const;
  const ISSUE = {
    ...{ name: 'IssueRequest', schema: issueRequest },
    base: { tenant: 'acme', name: 'n', scopes: ['report'], municipalities: ['H501'] },
  } as const;
  const OPTIONS = { ...CHECK, name: 'SubscriptionOptionsRequest', schema: optionsRequest } as const;
  const ROTATE = { name: 'RotateRequest', schema: rotateRequest, base: {} } as const;
  const DOCUMENT = { name: 'ConfigurationDocument', schema: configurationDocument, base: {} } as const;

  const rates = [
    ...[null, undefined, {}, { limit: 0, window_seconds: 1 }, { limit: 1, window_seconds: 1, burst: 1 }],
    ...[
      { limit: 1, window_seconds: 3_600 },
      { limit: 10_000, window_seconds: 3_601 },
    ],
  ];
  const city = (properties: object) => [{ code: 'H501', ...properties }];
  const plan = (changed: object) => city({ plans: [{ codice_tariffa: '101', ...changed }] });
  const cities = [
    ...[[], null, [{}], city({}), city({ areas: [{ code: 'P1', capacity: null }] })],
    ...[plan({}), plan({ importo_eurocent: 0 })],
    ...['000', '1', '1234', 'abc'].map((codice_tariffa) => plan({ codice_tariffa })),
    ...['P1M', 'P1Y6M', 'P', 'PT1H'].map((duration) => plan({ duration })),
  ];

  const cases = [
    { ...CHECK, field: 'plate', values: texts },
    { ...CHECK, field: 'event', values: [...texts, 'verify', 'entry', 'exit', 'Entry'] },
    { ...CHECK, field: 'checked_at', values: [...texts, ...instants] },
    { ...CHECK, field: 'other', values: texts },
    { ...OPTIONS, field: 'terminal_code', values: [...texts, ...length(64)] },
    { ...REPORT, field: 'municipality_code', values: [...texts, ...length(80)] },
    { ...REPORT, field: 'area_type', values: [...texts, 'street', 'facility', 'park'] },
    { ...REPORT, field: 'source_id', values: [...texts, ...integers] },
    { ...REPORT, field: 'other', values: ['x'] },
    { ...SESSION, field: 'session_id', values: [...texts, ...length(200)] },
    { ...SESSION, field: 'starts_at', values: [...texts, ...instants] },
    { ...SESSION, field: 'revision', values: [...texts, ...integers] },
    { ...SESSION, field: 'other', values: ['x'] },
    { ...ISSUE, field: 'tenant', values: [...texts, ...length(80)] },
    { ...ISSUE, field: 'expires_at', values: instants },
    { ...ISSUE, field: 'scopes', values: [[], ['report'], ['report', 'report'], ['all'], null, undefined] },
    { ...ISSUE, field: 'rate_limit', values: rates },
    { ...ROTATE, field: 'overlap_seconds', values: integers },
    { ...DOCUMENT, field: 'municipalities', values: cities },
  ] as const;

  it.each(cases)('$name: $field', ({ name, schema, base, field, values }) => {
    const taken = values.map((value) => ({ [field]: value }));
    const described = taken.map((value) =>
      accepts(name as Name, JSON.parse(JSON.stringify({ ...base, ...value }))),
    );
    const enforced = taken.map((value) => schema.safeParse({ ...base, ...value }).success);
    expect(values.map((value, index) => [value, described[index]])).toEqual(
      values.map((value, index) => [value, enforced[index]]),
    );
  });
});
