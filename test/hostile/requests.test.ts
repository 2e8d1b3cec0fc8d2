import { env } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { Contract } from '../../src/serving/contract.ts';
import { municipalities } from '../../src/storage/db/schema/index.ts';
import { bodyMediaType } from '../../tools/description/document/openapi/parts.ts';
import { CITY as WHOLE_CITY } from '../configuration/support.ts';
import { type Example, exampleOf, prepareExamples } from '../faults/calls.ts';
import { aSubscriptionLine } from '../imports/support.ts';
import { OPERATIONS } from '../suites/operations.ts';
import type { RightAnswer } from '../suites/right-answer.ts';
import { rightAnswerOf } from '../suites/right-answers.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { databaseDouble } from '../support/doubles.ts';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';
import { ROME, seed, TENANT } from '../support/seed.ts';
import { runCron, type SentAnswer, Service } from '../support/service.ts';
import { hostileRequests, type Plan, type RightCall, requestOf, shown } from './requests.ts';

const REQUESTS = shortOrThorough(50, 2_100);
/** To an operation that is slow. */
const FEW_REQUESTS = shortOrThorough(25, 300);
/** What no client could send is never sent: a small share, of which a short list may have more. */
const MIN_SENT = shortOrThorough(0.85, 0.95);
/** Many times what it takes: an erasure looks through the log of all calls before it. */
const LIMIT_MS = shortOrThorough(120_000, 900_000);
/** Sent at once, so that one's wait is another's work. */
const AT_ONCE = 40;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Words of ours that no answer says: of the database, of the runtime, of a stack. */
const OURS = /D1_|SQLITE|\.ts:\d|\bat \w+ \(|json_each|is not a function|Cannot read|Unexpected token/;
/** What is keyed in a list, and where a backup goes on, is random letters, which may spell anything. */
const KEYED = /"(id|plate|cursor|after)":"[\w-]+"/g;
/** A token with more of its secret than a terminal's code has room for, which is said again as it was sent. */
const TOKEN = /pev_(?:at|ak)_[0-9a-f]{24}_[0-9a-f]{34}/i;
const WRITES = /(?:^|;)\s*(?:insert(?:\s+or\s+replace)?\s+into|update|delete\s+from)\s+"?(\w+)/gi;
/** What a call leaves of itself, refused or not. */
const OF_EVERY_CALL = ['calls', 'call_plates'];

/** An operation or a page, as those see it who mean it no good. */
interface Target {
  readonly name: string;
  /** What is right, of an operation. */
  readonly known: Partial<RightAnswer>;
  readonly right: () => Promise<Omit<RightCall, 'tokens'>>;
}

const PAGES: readonly Target[] = ['/', '/cities/H501', '/board', '/office', '/docs', '/widget/v1.js'].map(
  (path) => ({
    name: `the page ${path}`,
    known: {},
    right: async () => ({
      ...{ method: 'GET', path, ids: [], query: {}, headers: {}, contentType: 'application/json' },
      ...{ bodies: [], names: [] },
    }),
  }),
);

/** Right bodies with more of their fields than those that the suites know. */
const FULL_BODIES: Readonly<Record<string, readonly unknown[]>> = {
  putConfiguration: [WHOLE_CITY],
  importSubscriptions: [
    aSubscriptionLine({
      ...{ authorized_from: '2026-01-01T00:00Z', authorized_until: '2027-01-01T00:00Z', revision: 1 },
      ...{ suspended_from: '2026-05-01T00:00Z', suspended_until: null, revoked_at: '2026-06-01T00:00Z' },
    }),
  ],
};

function targetOf(operation: Contract): Target {
  const known = rightAnswerOf(operation);
  const schema = known.bodySchema ?? (operation.body?.kind === 'json' ? operation.body.schema : undefined);
  const shape = schema && z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return {
    name: operation.id,
    known,
    right: () => rightCallOf(operation, exampleOf(operation), shape ?? {}),
  };
}

async function rightCallOf(operation: Contract, example: Example, shape: { readonly properties?: object }) {
  const { path, method = 'GET', headers = {}, body } = await example.next();
  const { allQuery, query = {} } = rightAnswerOf(operation);
  const { 'Content-Type': _, ...others } = headers;
  const { credentialId } = await issueCredential();
  const right = Object.entries(allQuery ?? query).map(([name, value]) => [
    name,
    value === 'CREDENTIAL' ? credentialId : value,
  ]);
  const [called = ''] = path.split('?');
  const lines = typeof body === 'string' ? body.split('\n').map((line) => JSON.parse(line)) : [body];
  return {
    ...{ method, path: called, headers: others, query: Object.fromEntries(right) },
    ids: called.split('/').filter((part, index) => part !== operation.path.split('/')[index]),
    contentType: bodyMediaType(operation) ?? 'application/json',
    bodies: body === undefined ? [] : [...lines, ...(FULL_BODIES[operation.id] ?? [])],
    names: Object.keys(shape.properties ?? {}),
  };
}

/** What writes comes last: the city stays as it is for the others. */
const TARGETS = [...OPERATIONS.map(targetOf), ...PAGES].sort(
  (one, other) => Number(one.known.writes ?? false) - Number(other.known.writes ?? false),
);

const service = new Service({}, 100);
const ids = new Set<string>();
const lines: string[] = [];
let strangers: TestCredential;

beforeAll(async () => {
  for (const level of ['log', 'info', 'warn', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((line) => lines.push(String(line)));
  }
  await prepareExamples();
  await drizzle(env.DB).update(municipalities).set({ publicOccupancyEnabled: true });
  await seed({
    tenants: [{ ...TENANT, id: 2, code: 'beta' }],
    municipalities: [{ ...ROME, id: 2, code: 'F205', tenantId: 2 }],
  });
  strangers = await issueCredential({ tenantId: 2 }, [2]);
});

describe(`Whatever is sent (TEST_SEED=${RUN_SEED})`, () => {
  it.each(TARGETS)(
    'to $name is answered, and as described',
    async ({ name, known, right }) => {
      // On a slow machine the snapshots of the first operations' time would be too old for the last ones.
      await runCron('* * * * *');
      lines.length = 0;
      const { accessToken, apiKey } = await issueCredential();
      const call = { ...(await right()), tokens: [accessToken, apiKey, strangers.accessToken] };
      // Others for each, so that few to each are many kinds in all.
      const place = TARGETS.findIndex((one) => one.name === name);
      const of = { seed: RUN_SEED + place, numRuns: known.slow ? FEW_REQUESTS : REQUESTS };
      const plans = fc.sample(hostileRequests(call), of);
      const failures: string[] = [];
      let count = 0;

      async function send(plan: Plan): Promise<void> {
        const request = requestOf(plan);
        if (request === null) return;
        count += 1;
        const written = new Set<string>();
        const DB = databaseDouble({
          around: (run, sql) => {
            for (const [, table = ''] of sql.matchAll(WRITES)) written.add(table);
            return run();
          },
        });
        try {
          const answer = await service.send(request, { DB });
          expectWell(answer, known);
          const allowed = [...OF_EVERY_CALL, ...(known.writesWhenRefused ?? [])];
          if (known.writes && answer.status < 400) return;
          expect([...written].filter((table) => !allowed.includes(table))).toEqual([]);
        } catch (error) {
          failures.push(`${shown(plan)}\n${String(error)}`);
        }
      }

      const atOnce = known.oneByOne ? 1 : AT_ONCE;
      for (let from = 0; from < plans.length; from += atOnce) {
        await Promise.all(plans.slice(from, from + atOnce).map(send));
      }
      expect(failures.slice(0, 3).join('\n'), `${failures.length} of ${plans.length} requests`).toBe('');
      expect(count).toBeGreaterThan(plans.length * MIN_SENT);
      expect(lines.length).toBeGreaterThan(plans.length / 2);
      expect(lines.filter((line) => /pev_(?:at|ak)_[0-9a-z]/i.test(line))).toEqual([]);
    },
    LIMIT_MS,
  );
});

/** Holds of every answer. That it is as described, the service under test has seen to. */
function expectWell({ status, headers, text }: SentAnswer, { showsTokens }: Partial<RightAnswer>): void {
  expect(status, text).toBeLessThan(500);
  const requestId = headers.get('X-Request-Id') ?? '';
  expect(requestId).toMatch(UUID);
  expect(ids.has(requestId), 'a request id comes once').toBe(false);
  ids.add(requestId);
  // A city that nobody knows is a page too.
  const isHtml = headers.get('Content-Type')?.startsWith('text/html') === true;
  if (isHtml || headers.has('ETag')) return;
  const said = `${text.replaceAll(KEYED, '')}\n${[...headers].join('\n')}`;
  expect(said).not.toMatch(OURS);
  if (!(showsTokens && status < 300)) expect(said).not.toMatch(TOKEN);
  if (status < 400 || text === '') return;
  const body: Record<string, unknown> = JSON.parse(text);
  expect(Object.keys(body)).toEqual(['success', 'ok', 'request_id', 'error']);
  expect(body).toMatchObject({ success: false, ok: false, request_id: requestId });
  const { code, message, details = { issues: [] }, ...more } = body.error as Record<string, unknown>;
  expect([code, message, Object.keys(details as object), more]).toEqual([
    ...[expect.any(String), expect.any(String), ['issues'], {}],
  ]);
}
