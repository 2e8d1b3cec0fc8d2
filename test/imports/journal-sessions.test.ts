import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import { Service } from '../support/service.ts';
import { journaledCity, journalOf, NOW, ROW } from './journal-support.ts';
import { aSessionLine, APP1_SESSIONS as SESSIONS } from './support.ts';
import { storesLines, watchedDb } from './watched-db.ts';

const STARTS = Date.UTC(2026, 2, 10, 11);
const ENDS = Date.UTC(2026, 2, 10, 12);

const session = {
  session_id: 's-1',
  plate: 'AB123CD',
  area_code: 'S1',
  starts_at: STARTS,
  ends_at: ENDS,
  cancelled_at: null,
  revision: null,
};

const { importInto, sessions } = journaledCity();

describe('The journal of sessions', () => {
  it('has a new session as it is stored, with the request that brought it', async () => {
    const { body } = await sessions(aSessionLine());
    expect(await journalOf('parking_session')).toEqual([
      { ...ROW, request_id: body.request_id, record: session },
    ]);
  });

  it('has a row for each change, and none for what changes nothing', async () => {
    await sessions(aSessionLine({ revision: 2 }));
    await sessions(aSessionLine({ revision: 2 }));
    await sessions(aSessionLine({ revision: 1, plate: 'OLD' }));
    vi.setSystemTime(NOW + MINUTE_MS);
    // A line without a revision leaves the session the one it has.
    await sessions(aSessionLine({ cancelled_at: '2026-03-10T12:30:00+01:00' }));
    expect(
      (await journalOf('parking_session')).map(({ recorded_at, record }) => [recorded_at, record]),
    ).toEqual([
      [NOW, { ...session, revision: 2 }],
      [NOW + MINUTE_MS, { ...session, revision: 2, cancelled_at: STARTS + 30 * MINUTE_MS }],
    ]);
  });

  it('has one row a key and file, however far apart its lines are', async () => {
    await sessions(
      aSessionLine(),
      ...Array.from({ length: 700 }, (_, index) => aSessionLine({ session_id: `t-${index}` })),
      aSessionLine({ ends_at: null }),
    );
    const rows = (await journalOf('parking_session')).filter(({ key }) => key === 's-1');
    expect(rows.map(({ record }) => record)).toEqual([{ ...session, ends_at: null }]);
  });

  it('has one more row for the plate that a corrected session leaves, before its own', async () => {
    await sessions(aSessionLine());
    await sessions(aSessionLine({ plate: 'AB123CE' }));
    expect((await journalOf('parking_session')).slice(1)).toEqual([
      { ...ROW, area_id: null, left_area_id: 1, record: null },
      { ...ROW, plate: 'AB123CE', record: { ...session, plate: 'AB123CE' } },
    ]);
  });

  it('names a plate where the session has another one by now, and else leaves it to the session', async () => {
    const named = () =>
      env.DB.prepare(`select plate from journal where kind = 'parking_session' order by sequence`).raw();
    const line = (changed: object) => aSessionLine({ area_code: 'P1', ...changed });
    await sessions(line({}));
    await sessions(line({ ends_at: null }));
    expect(await named()).toEqual([[null], [null]]);
    const others = line({ session_id: 's-2' });
    await sessions(line({ plate: 'AB123CE' }), others);
    const leaves = ['AB123CD'];
    expect(await named()).toEqual([['AB123CD'], ['AB123CD'], leaves, [null], [null]]);
  });

  it('names the area that a session leaves', async () => {
    await sessions(aSessionLine());
    await sessions(aSessionLine({ area_code: 'P1' }));
    expect((await journalOf('parking_session')).slice(1)).toEqual([
      { ...ROW, area_id: 2, left_area_id: 1, record: { ...session, area_code: 'P1' } },
    ]);
  });

  it('never goes back in time, though a clock does', async () => {
    await sessions(aSessionLine());
    vi.setSystemTime(NOW - MINUTE_MS);
    await sessions(aSessionLine({ session_id: 's-2' }));
    vi.setSystemTime(NOW + MINUTE_MS);
    await sessions(aSessionLine({ session_id: 's-3' }));
    expect((await journalOf('parking_session')).map(({ recorded_at }) => recorded_at)).toEqual([
      NOW,
      NOW,
      NOW + MINUTE_MS,
    ]);
  });

  it('has the instant at which a batch was stored, not that of the call', async () => {
    const slow = new Service({
      DB: watchedDb({
        before: (statements) => {
          // The second batch comes a minute later.
          if (statements.some(storesLines)) vi.setSystemTime(Date.now() + MINUTE_MS);
        },
      }),
    });
    await importInto(
      SESSIONS,
      Array.from({ length: 700 }, (_, index) => aSessionLine({ session_id: `t-${index}` })),
      slow,
    );
    const instants = (await journalOf('parking_session')).map(({ recorded_at }) => recorded_at);
    expect([instants[0], instants.at(-1)]).toEqual([NOW, NOW + MINUTE_MS]);
  });

  it('gives every row a stamp of its own', async () => {
    await sessions(aSessionLine({ area_code: 'P1' }), aSessionLine({ session_id: 's-2', area_code: 'P1' }));
    const { results } = await env.DB.prepare('select distinct stamp from journal').all<{ stamp: number }>();
    expect(results).toHaveLength(3);
    expect(results.every(({ stamp }) => Number.isSafeInteger(stamp))).toBe(true);
  });
});
