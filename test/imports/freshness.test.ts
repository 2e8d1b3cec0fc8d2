import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { instant } from '../../src/domain/instant.ts';
import { type FinishedImport, recordImport } from '../../src/intake/imports/freshness-table.ts';
import { newRequestId } from '../../src/serving/middleware/begin.ts';
import { issueCredential } from '../support/credential.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY } from '../support/seed.ts';
import { type Answer, Service } from '../support/service.ts';
import { aSessionLine, aSubscriptionLine, file, SESSIONS, SUBSCRIPTIONS, send } from './support.ts';
import { storesLines, watchedDb } from './watched-db.ts';

const NO_UTF8 = new Uint8Array([0xff]);

interface Freshness {
  readonly last_outcome: string;
  readonly last_finished_at: number;
  readonly last_successful_at: number | null;
  readonly last_request_id: string;
}

const freshness = (): Promise<Freshness | null> =>
  env.DB.prepare(
    'select last_outcome, last_finished_at, last_successful_at, last_request_id from source_imports where source_id = 1',
  ).first<Freshness>();

const requestId = (answer: Answer) => answer.headers.get('X-Request-Id');

let service: Service;
let headers: Record<string, string>;

beforeEach(async () => {
  service = new Service();
  await freshDatabase(CITY);
  ({ headers } = await issueCredential({ sourceCode: 'app1' }));
});

describe('The freshness of a source', () => {
  it.each([
    ['a file whose lines are all taken', file([aSessionLine()])],
    ['a file of which some lines are taken', file([aSessionLine(), '{}'])],
    ['a file with nothing in it', ''],
  ])('is renewed by %s', async (_name, body) => {
    const before = Date.now();
    const answer = await send(service, SESSIONS, body, headers);
    const row = await freshness();
    expect(row).toMatchObject({ last_outcome: 'succeeded', last_request_id: requestId(answer) });
    expect(row?.last_successful_at).toBe(row?.last_finished_at);
    expect(row?.last_successful_at).toBeGreaterThanOrEqual(before);
  });

  it.each([
    ['a file none of whose lines are taken', '{}\n{}'],
    ['a body that cannot be read', NO_UTF8],
  ])('sees a failed import in %s, and keeps the last success', async (_name, body) => {
    await send(service, SESSIONS, '', headers);
    const success = await freshness();
    const answer = await send(service, SESSIONS, body, headers);
    expect(await freshness()).toMatchObject({
      last_outcome: 'failed',
      last_successful_at: success?.last_successful_at,
      last_request_id: requestId(answer),
    });
  });

  it('knows no success when the first import fails', async () => {
    await send(service, SESSIONS, '{}', headers);
    expect(await freshness()).toMatchObject({ last_outcome: 'failed', last_successful_at: null });
  });

  it('is not moved by what was refused before it was read', async () => {
    const tooLarge = new Uint8Array(8 * 1024 * 1024 + 1);
    const announced = { 'Content-Length': String(tooLarge.length) };
    expect((await send(service, SESSIONS, tooLarge, { ...headers, ...announced })).status).toBe(413);
    await send(service, SESSIONS, '', { ...headers, 'Content-Type': 'text/plain' });
    await send(service, `${SESSIONS}?source_code=other`, '', headers);
    expect(await freshness()).toBeNull();
  });

  it.each([
    ['?source_code=other', 404],
    ['?municipality_code=X', 403],
    ['?source_code=', 422],
  ])('is not moved by a body that cannot be read when its source is not known: %s', async (query, status) => {
    const answer = await send(service, SESSIONS + query, NO_UTF8, headers);
    expect(answer.status).toBe(status);
    expect(await freshness()).toBeNull();
  });

  it('is not moved by subscriptions', async () => {
    const { headers: unbound } = await issueCredential();
    expect((await send(service, SUBSCRIPTIONS, file([aSubscriptionLine()]), unbound)).status).toBe(200);
    expect((await send(service, SUBSCRIPTIONS, NO_UTF8, unbound)).status).toBe(400);
    expect(await freshness()).toBeNull();
  });

  it('is not moved by an import that breaks off', async () => {
    const broken = new Service({
      DB: watchedDb({
        before: (statements) => {
          if (statements.some(storesLines)) throw new Error('D1_ERROR: the disk is full');
        },
      }),
    });
    const answer = await send(broken, SESSIONS, file([aSessionLine()]), headers);
    expect(answer.status).toBe(500);
    expect(await freshness()).toBeNull();
  });
});

describe('Two imports of a source at once', () => {
  const [EARLIER, LATER] = [newRequestId(instant(1_000)), newRequestId(instant(2_000))];
  const finish = (changed: Partial<FinishedImport>, requestId = LATER) =>
    recordImport(
      env.DB,
      { sourceId: 1, outcome: 'succeeded', at: instant(2_000), ...changed },
      { requestId, clock: () => instant(3_000) },
    );

  it.each([
    ['a success', 'succeeded', 'a success', 'succeeded', 2_000],
    ['a failure', 'failed', 'a success', 'succeeded', 2_000],
    ['a success', 'succeeded', 'a failure', 'failed', 1_000],
    ['a failure', 'failed', 'a failure', 'failed', null],
  ] as const)(
    'leave the later call as the last, when %s of the earlier one ends behind it: %s then %s',
    async (_earlier, earlier, _later, later, successfulAt) => {
      await finish({ outcome: later });
      await finish({ outcome: earlier, at: instant(1_000) }, EARLIER);
      expect(await freshness()).toEqual({
        last_outcome: later,
        last_finished_at: 2_000,
        last_successful_at: successfulAt,
        last_request_id: LATER,
      });
    },
  );
});
