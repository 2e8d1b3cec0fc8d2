import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { refreshSnapshots } from '../../src/core/snapshots/refresh.ts';
import { HOUR_MS, instant } from '../../src/domain/instant.ts';
import { normalizePlate } from '../../src/domain/plate.ts';
import { citiesWithAPlate, credential, hour, makeCalls } from '../admin/plates-city.ts';
import {
  ERASE,
  EXPORT,
  eraseAll,
  exportOf,
  importLines,
  NOTHING,
  spells,
  textsKept,
  textsOfAllTables,
} from '../admin/plates-support.ts';
import { ADMIN, Service } from '../support/service.ts';

const REPORT = '/api/v2/parking/reports/active-by-area';

const service = new Service();
const exported = (plate: string) => exportOf(service, plate);
const erased = (plate: string) => eraseAll(service, plate);
const imported = (what: 'sessions' | 'subscriptions', ...lines: readonly object[]) =>
  importLines(service, credential.headers, what, lines);

citiesWithAPlate();

describe('The erasure', () => {
  it('leaves the plate in no text of any table, value of KV, object’s storage or whole call, however it was spelled', async () => {
    await makeCalls();
    await refreshSnapshots(env, () => instant(Date.now()));
    await env.DB.prepare('delete from parking_sessions where municipality_id = 2').run();
    const holding = async () => (await textsKept()).filter(([, text]) => spells(text, 'ERASE1'));
    expect(new Set((await holding()).map(([where]) => where))).toEqual(
      new Set([
        'parking_sessions.plate',
        'subscription_plates.plate',
        'past_parking_sessions.plate',
        'calls.request',
        'calls.response',
      ]),
    );
    expect(await erased('erase 1')).toEqual({
      sessions: 2,
      subscriptions: 1,
      history: 4,
      payments: 0,
      calls: 7,
    });
    expect(await holding()).toEqual([]);
  });

  it('twice is the same as once', async () => {
    await makeCalls();
    await erased('ERASE1');
    const before = await textsOfAllTables();
    expect(await erased('ERASE1')).toEqual(NOTHING);
    expect(await textsOfAllTables()).toEqual(before);
  });

  it('leaves each session with a pseudonym that no plate can be, and the other plate of the subscription', async () => {
    await erased('ERASE1');
    const { results } = await env.DB.prepare(
      'select plate from parking_sessions where municipality_id = 1 order by session_id',
    ).all<{ plate: string }>();
    const [one, three, two] = results.map(({ plate }) => plate);
    expect(three).toBe('OTHER1');
    expect(one).not.toBe(two);
    for (const pseudonym of [one, two]) expect(normalizePlate(pseudonym ?? '')).not.toBe(pseudonym);
    expect((await env.DB.prepare('select plate from subscription_plates').all()).results).toEqual([
      { plate: 'OTHER1' },
    ]);
  });

  it('takes nothing of another tenant’s', async () => {
    await erased('ERASE1');
    expect(await exportOf(service, 'ERASE1', 'other')).toMatchObject({
      sessions: [{ session_id: 'theirs' }],
    });
  });

  it('changes no counter of a report, if no vehicle had two sessions at once in an area', async () => {
    await env.DB.prepare("delete from parking_sessions where session_id = 'two'").run();
    const report = async () => {
      const { body } = await new Service().post(REPORT, { area_type: 'facility' }, credential.headers);
      return [body.totals, body.rows];
    };
    const before = await report();
    await env.SNAPSHOTS.list().then(({ keys }) =>
      Promise.all(keys.map(({ name }) => env.SNAPSHOTS.delete(name))),
    );
    await erased('ERASE1');
    expect(await report()).toEqual(before);
  });

  it('of a plate that nobody knows is one of zeros', async () => {
    expect(await erased('NOBODY')).toEqual(NOTHING);
  });

  it('is a change of its own, before which nothing is known any more, and changes no instant of what is stored', async () => {
    const instants = async () => {
      const tables = ['parking_sessions', 'past_parking_sessions', 'subscriptions'];
      const read = await env.DB.batch(
        tables.map((table) => env.DB.prepare(`select * from ${table} order by id`)),
      );
      return read.map(({ results }) =>
        (results as Record<string, unknown>[]).map((row) => [row.recorded_at, row.replaced_at]),
      );
    };
    const changed = async () => {
      const { results } = await env.DB.prepare(
        `select id, past_since, (select max(recorded_at) from changes where municipality_id = municipalities.id) as last
         from municipalities order by id`,
      ).all<{ past_since: number; last: number | null }>();
      return results;
    };
    const [before, [ours, theirs]] = [await instants(), await changed()];
    await erased('ERASE1');
    const [after, others] = await changed();
    expect(after?.last).toBeGreaterThan(ours?.last ?? 0);
    expect(after?.past_since).toBe(after?.last);
    expect(others).toEqual(theirs);
    expect(await instants()).toEqual(before);
    await erased('ERASE1');
    expect(await changed()).toEqual([after, others]);
  });

  it('outlasts an import that names the plate again for the same session, and takes every other line', async () => {
    await erased('ERASE1');
    const line = (session_id: string, plate: string, endsAt = hour.endsAt) => ({
      session_id,
      plate,
      area_code: 'P1',
      starts_at: new Date(hour.startsAt).toISOString(),
      ends_at: new Date(endsAt).toISOString(),
    });
    const erasedLine = { unchanged: 1, erased: 1, created: 0, updated: 0 };
    expect(await imported('sessions', line('one', 'erase1'))).toMatchObject(erasedLine);
    expect(await imported('sessions', line('one', 'ERASE1', hour.endsAt + HOUR_MS))).toMatchObject(
      erasedLine,
    );
    // Corrected before it was erased: the plate stood in the past alone.
    expect(await imported('sessions', line('three', 'ERASE1'))).toMatchObject(erasedLine);
    expect(await imported('sessions', line('two', 'CORRECT'), line('new', 'ERASE1'))).toMatchObject({
      ...{ unchanged: 1, erased: 1, updated: 1 },
    });
    expect(await exported('CORRECT')).toMatchObject({ sessions: [{ session_id: 'two' }] });
    expect(await exported('ERASE1')).toMatchObject({ sessions: [] });
    const later = { ...line('later', 'ERASE1'), starts_at: new Date(Date.now() + 1_000).toISOString() };
    expect(await imported('sessions', later)).toMatchObject({ created: 1, erased: 0 });
    expect(await exported('ERASE1')).toMatchObject({ sessions: [{ session_id: 'later' }] });
  });

  it('outlasts an import of the same subscription', async () => {
    await erased('ERASE1');
    const line = (subscription_number: string) => ({
      subscription_number,
      type: 'RES',
      plates: [{ plate: 'ERASE1' }, { plate: 'OTHER1' }],
      approval: 'approved',
      areas: 'all',
      periods: [],
    });
    expect(await imported('subscriptions', line('N1'))).toMatchObject({ unchanged: 1 });
    expect(await exported('ERASE1')).toMatchObject({ subscriptions: [] });
    expect(await imported('subscriptions', line('N2'))).toMatchObject({ erased: 1 });
    expect(await exported('ERASE1')).toMatchObject({ subscriptions: [] });
    const authorized_from = new Date(Date.now() + 1_000).toISOString();
    expect(await imported('subscriptions', { ...line('N3'), authorized_from })).toMatchObject({ created: 1 });
    expect(await exported('ERASE1')).toMatchObject({ subscriptions: [{ subscription_number: 'N3' }] });
  });

  it('is lifted where the person comes back: what was erased stays so, and what is sent is stored', async () => {
    await erased('ERASE1');
    const lifted = await service.post(ERASE, { tenant: 'acme', plate: 'ERASE1', lift: true }, ADMIN);
    expect(lifted.body).toMatchObject({ erased: NOTHING, next: null });
    expect(await exported('ERASE1')).toMatchObject({ sessions: [] });
    const line = {
      ...{ session_id: 'back', plate: 'ERASE1', area_code: 'P1' },
      ...{ starts_at: new Date(hour.startsAt).toISOString(), ends_at: new Date(hour.endsAt).toISOString() },
    };
    expect(await imported('sessions', line)).toMatchObject({ created: 1, erased: 0 });
    expect(await exported('ERASE1')).toMatchObject({ sessions: [{ session_id: 'back' }] });
  });

  it('continues after a position alone, and knows no other text', async () => {
    const goOn = (text: string) =>
      service.post(ERASE, { tenant: 'acme', plate: 'ERASE1', after: text }, ADMIN);
    expect((await goOn(`tenant-${'0'.repeat(32)}`)).body).toMatchObject({ next: null });
    expect((await goOn('made-up')).body.error).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('is our failure while DIGEST_KEY is not usable', async () => {
    const broken = new Service({ DIGEST_KEY: 'short' });
    expect((await broken.post(ERASE, { tenant: 'acme', plate: 'A' }, ADMIN)).status).toBe(500);
    expect((await broken.post(EXPORT, { tenant: 'acme', plate: 'A' }, ADMIN)).status).toBe(500);
  });
});
