import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { refreshSnapshots } from '../../src/core/snapshots/refresh.ts';
import { instant } from '../../src/domain/instant.ts';
import { cityWithAPlate, hour, makeCalls } from '../admin/plates-city.ts';
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
import { outcomeOf } from '../support/city.ts';
import { ADMIN, Service } from '../support/service.ts';

const city = cityWithAPlate();
const erased = (plate: string) => eraseAll(city.service, plate);

describe('The erasure', () => {
  it('leaves the plate in no text of any table, value of KV, object’s storage or whole call, however it was spelled', async () => {
    await makeCalls(city);
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
    const before = await textsOfAllTables();
    expect(await erased('ERASE1')).toEqual(NOTHING);
    expect(await textsOfAllTables()).toEqual(before);
  });

  it('takes nothing of another tenant’s', async () => {
    await erased('ERASE1');
    expect(await exportOf(city.service, 'ERASE1', 'other')).toMatchObject({
      sessions: [{ session_id: 'theirs' }],
    });
  });

  it('is a change of its own, before which nothing is known any more, and changes no instant of what is stored', async () => {
    const read = async <Row>(sql: string) => (await env.DB.prepare(sql).all<Row>()).results;
    const instants = () =>
      read(`select recorded_at, null as replaced_at from parking_sessions union all
        select recorded_at, replaced_at from past_parking_sessions union all
        select recorded_at, null from subscriptions order by 1, 2`);
    const changed = () =>
      read<{ past_since: number; last: number | null }>(
        `select id, past_since, (select max(recorded_at) from changes where municipality_id = municipalities.id) as last
         from municipalities order by id`,
      );
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

  it('is lifted where the person comes back: what was erased stays so, and what is sent is stored', async () => {
    await erased('ERASE1');
    const lifted = await city.post(ERASE, { tenant: 'acme', plate: 'ERASE1', lift: true }, ADMIN);
    expect(lifted.body).toMatchObject({ erased: NOTHING, next: null });
    expect(await exportOf(city.service, 'ERASE1')).toMatchObject({ sessions: [] });
    const line = {
      ...{ session_id: 'back', plate: 'ERASE1', area_code: 'P1' },
      ...{ starts_at: new Date(hour.startsAt).toISOString(), ends_at: new Date(hour.endsAt).toISOString() },
    };
    const imported = await importLines(city.service, city.headers, 'sessions', [line]);
    expect(imported).toMatchObject({ created: 1, erased: 0 });
    expect(await exportOf(city.service, 'ERASE1')).toMatchObject({ sessions: [{ session_id: 'back' }] });
  });

  it('continues after a position alone, and knows no other text', async () => {
    const goOn = (after: string) => city.post(ERASE, { tenant: 'acme', plate: 'ERASE1', after }, ADMIN);
    expect((await goOn('0'.repeat(32))).body).toMatchObject({ next: null });
    expect(outcomeOf(await goOn('made-up'))).toEqual([422, 'INVALID_REQUEST']);
  });

  it('is our failure while DIGEST_KEY is not usable, and so is the export', async () => {
    const broken = new Service({ DIGEST_KEY: 'short' });
    for (const path of [ERASE, EXPORT]) {
      const answer = await broken.post(path, { tenant: 'acme', plate: 'A' }, ADMIN);
      expect(outcomeOf(answer)).toEqual([500, 'TEMPORARY_ERROR']);
    }
  });
});
