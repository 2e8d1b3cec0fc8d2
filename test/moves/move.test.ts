import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import {
  administrate,
  around,
  CITIES,
  check,
  credentialFor,
  moveOf,
  moveWhole,
  NATION,
  options,
  parkIn,
  plateOf,
  putDocument,
  report,
  TORINO,
} from '../databases/nation.ts';
import { noSnapshots } from '../support/doubles.ts';
import { ADMIN, Service } from '../support/service.ts';
import { type DatabaseName, prepareSeveral, SEVERAL } from '../support/several.ts';

const service = new Service({ ...SEVERAL, SNAPSHOTS: noSnapshots() });
let all: Record<string, string>;

beforeAll(async () => {
  await prepareSeveral();
  await putDocument(service, NATION);
  all = await credentialFor(
    service,
    CITIES.map(({ code }) => code),
  );
  for (const where of CITIES) await parkIn(service, all, where);
});

const TABLES = [
  'areas',
  'sources',
  'source_imports',
  'plans',
  'parking_sessions',
  'past_parking_sessions',
  'subscriptions',
  'changes',
  'configuration_versions',
  'past_source_imports',
];

async function countsIn(name: DatabaseName): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of TABLES) {
    const row = await SEVERAL[name].prepare(`select count(*) as n from ${table}`).first<{ n: number }>();
    counts[table] = row?.n ?? 0;
  }
  return counts;
}

/** What a municipality answers, but for what differs from call to call. */
async function answersOf({ code }: { code: string }): Promise<(readonly [status: number, body: string])[]> {
  const body = { municipality_code: code, plate: plateOf({ code }) };
  const answers = [
    await check(service, all, { ...body, area_code: 'P1', event: 'entry' }),
    await options(service, all, body),
    await report(service, all, { municipality_code: code }),
    await administrate(service, 'GET', `/api/v2/admin/configuration?municipality_code=${code}`),
  ];
  // A configuration names its database.
  const changing = [
    'database',
    'request_id',
    'checked_at',
    'generated_at',
    'after_30',
    'after_60',
    'tariffe',
  ];
  return answers.map(({ status, body: answered }) => [
    status,
    JSON.stringify(answered, (name, value) => (changing.includes(name) ? undefined : value)),
  ]);
}

/** As if the last move had been done long ago. */
const forget = () => env.SECOND.prepare('delete from moves').run();

describe('A municipality that moves', () => {
  it('answers the same from wherever it lives, with the ids that it had', async () => {
    const said = {
      address: 'Via Po 1',
      website: 'https://a.example/',
      price_note: '2 €',
      max_height_cm: 210,
    };
    const shown = {
      ...said,
      disabled_spaces: 2,
      charging_spaces: 0,
      closed_until: '2126-01-01T00:00:00.000Z',
    };
    await putDocument(service, {
      municipalities: [{ code: TORINO.code, public_max_age_minutes: 90, areas: [{ code: 'P1', ...shown }] }],
    });
    const before = await answersOf(TORINO);
    const configured = before.at(-1)?.[1];
    expect(configured).toContain(JSON.stringify(shown).slice(1, -1));
    expect(configured).toContain('"public_max_age_minutes":90');
    const counts = await countsIn('DB_2');
    const home = await countsIn('DB');
    for (const [to, from] of [
      ['DB', 'DB_2'],
      ['DB_3', 'DB'],
      ['DB_2', 'DB_3'],
    ] as const) {
      await moveWhole(service, TORINO.code, to);
      expect(await answersOf(TORINO)).toEqual(before);
      const listed = await administrate(service, 'GET', '/api/v2/admin/databases');
      const lists = listed.body.databases as { name: string; municipalities: string[] }[];
      expect(lists.filter(({ municipalities }) => municipalities.includes(TORINO.code))).toMatchObject([
        { name: to },
      ]);
      const { n = -1 } =
        (await SEVERAL[from]
          .prepare(
            'select count(*) as n from parking_sessions where municipality_id = (select id from municipalities where code = ?)',
          )
          .bind(TORINO.code)
          .first<{ n: number }>()) ?? {};
      expect(n).toBe(0);
    }
    const after = await countsIn('DB_2');
    expect(after).toEqual(counts);
    // The configuration stays where it was.
    const { parking_sessions, subscriptions } = await countsIn('DB');
    expect({ parking_sessions, subscriptions }).toEqual({
      parking_sessions: home.parking_sessions,
      subscriptions: home.subscriptions,
    });
    for (const name of ['DB', 'DB_2', 'DB_3'] as const) {
      expect(await SEVERAL[name].prepare('select * from moves where ended_at is null').all()).toMatchObject({
        results: [],
      });
    }
  });

  it('has no more of its past, however often it moves', async () => {
    const rows = async () => {
      await moveWhole(service, TORINO.code, 'DB_3');
      await moveWhole(service, TORINO.code, 'DB_2');
      return env.SECOND.prepare(
        'select count(*) as n from changes where municipality_id = (select id from municipalities where code = ?)',
      )
        .bind(TORINO.code)
        .first<{ n: number }>();
    };
    const before = await rows();
    expect(before?.n).toBeGreaterThan(0);
    expect(await rows()).toEqual(before);
  });

  it('keeps its calls findable where they were logged', async () => {
    const { body } = await service.settle('/api/v2/parking-entitlements/search', {
      method: 'POST',
      headers: all,
      body: { plate: 'X', municipality_code: TORINO.code },
    });
    const logged = env.SECOND.prepare('select 1 from logged_calls where request_id = ?').bind(
      body.request_id,
    );
    await vi.waitFor(async () => expect(await logged.first()).not.toBeNull());
    await moveWhole(service, TORINO.code, 'DB');
    const found = await administrate(service, 'GET', `/api/v2/admin/calls/${body.request_id}`);
    expect(found.body.call).toMatchObject({ municipality_code: TORINO.code });
    await moveWhole(service, TORINO.code, 'DB_2');
  });

  it('cannot be sent where it is, where nothing is, or somewhere else meanwhile', async () => {
    expect((await moveOf(service, 'NONE', 'DB')).status).toBe(404);
    await forget();
    expect((await moveOf(service, TORINO.code, 'DB_2')).body.error).toMatchObject({
      details: { issues: [{ path: 'to' }] },
    });
    expect((await moveOf(service, TORINO.code, 'DB_9')).body.error).toMatchObject({
      details: {
        issues: [{ path: 'to', message: 'DB_9 is not a known database: choose one of DB, DB_2, DB_3' }],
      },
    });
    await env.SECOND.prepare(
      `insert into moves (municipality_id, from_database, to_database, stay, progress)
       select id, 'DB_2', 'DB_3', stay + 1, '{}' from municipalities where code = ?`,
    )
      .bind(TORINO.code)
      .run();
    // Where it lives as well: that it is there is no answer while it is leaving.
    for (const to of ['DB', 'DB_2']) {
      const other = await moveOf(service, TORINO.code, to);
      expect([other.status, other.body.error], to).toMatchObject([409, { code: 'MOVE_IN_PROGRESS' }]);
    }
    await forget();
  });

  it('is done once more within an hour, with what was copied, and then is where it is', async () => {
    await moveOf(service, TORINO.code, 'DB_3');
    await moveWhole(service, TORINO.code, 'DB_3');
    const again = async () => (await moveOf(service, TORINO.code, 'DB_3')).body;
    const age = (minutes: number) =>
      env.THIRD.prepare('update moves set ended_at = ended_at - ?')
        .bind(minutes * 60_000)
        .run();
    const done = await again();
    expect(done).toMatchObject({ state: 'done', remaining: 0 });
    expect(done.copied).toBeGreaterThan(0);
    await age(59);
    expect(await again()).toMatchObject({ state: 'done', copied: done.copied });
    await age(1);
    expect((await again()).error).toMatchObject({ code: 'INVALID_REQUEST' });
    await moveWhole(service, TORINO.code, 'DB_2');
  });
});

describe('While the writes of a municipality are stopped', () => {
  const stop = (seconds: number) =>
    env.SECOND.prepare(
      `update municipalities set writes_stopped_until = cast(unixepoch('subsec') * 1000 as integer) + ? where code = ?`,
    )
      .bind(seconds * 1000, TORINO.code)
      .run();

  const session = JSON.stringify({
    session_id: 'late',
    plate: 'LATE',
    area_code: 'P1',
    ...around(Date.now()),
  });
  const sendSession = (by = service) =>
    by.call(`/api/v2/imports/sessions?municipality_code=${TORINO.code}&source_code=app1`, {
      method: 'POST',
      headers: { ...all, 'Content-Type': 'application/x-ndjson' },
      body: session,
    });
  const configure = (name: string) =>
    service.call('/api/v2/admin/configuration', {
      method: 'PUT',
      headers: ADMIN,
      body: { municipalities: [{ code: TORINO.code, name }] },
    });

  it('imports and configuration are asked to come again, checks go on, and nothing is lost', async () => {
    await stop(60);
    for (const answer of [await sendSession(), await configure('Turin')]) {
      expect([answer.status, answer.body.error]).toMatchObject([503, { code: 'MUNICIPALITY_MOVING' }]);
      expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    }
    const checked = await check(service, all, { plate: 'LATE', municipality_code: TORINO.code });
    expect([checked.status, checked.body.sessions_count]).toEqual([200, 0]);
    await stop(-1);
    expect((await sendSession()).body).toMatchObject({ created: 1 });
    expect((await configure('Turin')).body).toMatchObject({ updated: 1 });
    expect((await configure(TORINO.name)).body).toMatchObject({ updated: 1 });
  });
});
