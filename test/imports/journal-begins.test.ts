import { applyD1Migrations, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { CITY, inRome, mustPut } from '../configuration/support.ts';
import { issueCredential } from '../support/credential.ts';
import { seed, TENANT } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { RECORDED, recordOf, standing } from './journal-support.ts';
import {
  aSessionLine,
  aSubscriptionLine,
  countsOf,
  file,
  APP1_SESSIONS as SESSIONS,
  SUBSCRIPTIONS,
  send,
} from './support.ts';

const BEGINS = env.TEST_MIGRATIONS.findIndex(({ name }) => name.includes('journal-begins'));
const AT = '2026-03-01T00:00:00Z';

/**
 * What each newest row of the journal says, by its subject; not when it was recorded, nor by which request. Nor which
 * request the last success was, where a failure came after it: nothing else has kept that.
 */
async function newest(): Promise<readonly Row[]> {
  const { results } = await env.DB.prepare(
    `select municipality_id, kind, source_code, key, plate,
       (select id from areas where id = j.area_id and area_type = 'facility') as area_id,
       iif(kind = 'import' and record ->> 'outcome' = 'succeeded',
         json_remove(record, '$.request_id', '$.last_request_id'), record) as record
     from ${RECORDED} as j
     where (kind <> 'subscription' or record is not null) and (of_first = 1 or not exists (
       select 1 from journal as n where n.municipality_id = j.municipality_id and n.key = j.key)) and sequence = (
       select max(sequence) from ${RECORDED} as n
       where n.of_first = j.of_first and n.municipality_id = j.municipality_id and n.kind = j.kind and n.source_code is j.source_code
         and n.key is j.key and (n.kind <> 'subscription' or n.plate = j.plate)
         and (n.kind <> 'import' or n.record ->> 'outcome' = j.record ->> 'outcome'))
     order by 1, 2, 3, 4, 5, record ->> 'finished_at'`,
  ).all<Omit<Row, 'record'> & { key: string; plate: string; record: string }>();
  return results
    .map((row) => ({ ...row, record: recordAsItBegan(row.kind, recordOf(row) ?? {}) }))
    .reduce(joinParts, []);
}

interface Recorded {
  readonly areas?: readonly object[];
  readonly further_rows?: number;
}
interface Row {
  readonly kind: string;
  readonly municipality_id: number;
  readonly record: Recorded;
}

/** What a configuration has had only since later migrations: by default until it is configured. */
const LATER = [
  'public_max_age_minutes',
  ...[
    'address',
    'website',
    'price_note',
    'max_height_cm',
    'disabled_spaces',
    'charging_spaces',
    'closed_until',
    'paid_hours',
  ],
  ...['holidays', 'observation_minutes', 'overstay_minutes'],
];

const asItBegan = (item: object): object =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !LATER.includes(name)));

const recordAsItBegan = (kind: string, record: Recorded): Recorded =>
  kind === 'configuration' ? { ...asItBegan(record), areas: (record.areas ?? []).map(asItBegan) } : record;

/** A large configuration takes several rows, of more areas each when the journal began than today. */
function joinParts(rows: readonly Row[], row: Row): Row[] {
  const whole = rows.at(-1);
  if (row.kind !== 'configuration' || whole?.municipality_id !== row.municipality_id) {
    return [...rows, row];
  }
  const { areas = [], further_rows: _, ...rest } = whole.record;
  const record = { ...rest, areas: [...areas, ...(row.record.areas ?? [])] };
  return [...rows.slice(0, -1), { ...whole, record }];
}

beforeEach(async () => {
  await reset();
  // The later ones are there already: today's service, which stores what the test needs, does not run without them.
  await applyD1Migrations(
    env.DB,
    env.TEST_MIGRATIONS.filter((_, index) => index !== BEGINS),
  );
  await seed({ tenants: [TENANT] });
});

describe('The migration with which the journal begins', () => {
  it('records what was stored before as importing and configuring it would have', async () => {
    const areas = Array.from({ length: 1_200 }, (_, index) => ({
      ...{ code: `Z${String(index).padStart(4, '0')}`, name: `Via "${index}"`, area_type: 'street' },
    }));
    await mustPut({ municipalities: [{ ...CITY.municipalities[0], code: 'L219', name: 'Torino' }] });
    await mustPut(CITY);
    await mustPut(inRome({ areas, services: { report: false }, name: 'Roma è "grande"' }));
    const municipality = await env.DB.prepare(`select id from municipalities where code = 'H501'`).first<{
      id: number;
    }>();
    const { headers } = await issueCredential({}, [municipality?.id ?? 0]);
    const imported = async (path: string, ...lines: readonly object[]) =>
      countsOf(await send(new Service(), path, file(lines), headers));
    await imported(
      SESSIONS,
      aSessionLine(),
      aSessionLine({ session_id: 's-2', ends_at: null, revision: 3 }),
      aSessionLine({ session_id: 's-3', area_code: 'P1', cancelled_at: AT }),
    );
    await imported(SESSIONS, aSessionLine({ plate: 'AB123CE' }));
    await imported(
      SUBSCRIPTIONS,
      aSubscriptionLine({
        plates: [
          { plate: 'B', valid_until: AT },
          { plate: 'A' },
          { plate: 'B', valid_from: '2026-04-01T00:00:00Z' },
        ],
      }),
      aSubscriptionLine({ subscription_number: 'R-2', areas: 'all', periods: [], revision: 2 }),
      aSubscriptionLine({
        subscription_number: 'R-3',
        areas: ['S1', 'P1'],
        suspended_from: AT,
        revoked_at: AT,
      }),
      aSubscriptionLine({ subscription_number: 'R-4', plates: [] }),
    );
    await imported(
      SUBSCRIPTIONS,
      aSubscriptionLine({ subscription_number: 'R-3', plates: [{ plate: 'C' }] }),
    );
    await imported(SESSIONS, { bad: 'line' });
    const written = await newest();

    await env.DB.prepare('delete from journal').run();
    await env.DB.prepare('update parking_sessions set known_at = null, known_by = null').run();
    const before = Date.now();
    await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
    expect(await newest()).toEqual(written);
    expect(written).toHaveLength(11);
    const { journaled, stored } = await standing();
    expect(journaled).toEqual(stored);
    const recorded = await env.DB.prepare(
      'select min(recorded_at) as earliest, count(request_id) as requests from journal',
    ).first<{ earliest: number; requests: number }>();
    expect(recorded?.requests).toBe(0);
    // The database's own clock has seconds.
    expect(recorded?.earliest).toBeGreaterThan(before - 1_001);

    // What was recorded so is not recorded again.
    const rows = async () =>
      env.DB.prepare(`select count(*) as there from journal where kind <> 'import'`).first<number>('there');
    const there = await rows();
    await mustPut(inRome({ services: { report: false } }));
    await imported(SESSIONS, aSessionLine({ plate: 'AB123CE' }));
    await imported(
      SUBSCRIPTIONS,
      aSubscriptionLine({ subscription_number: 'R-3', plates: [{ plate: 'C' }] }),
    );
    expect(await rows()).toBe(there);
  });

  it('begins empty on an empty database', async () => {
    await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
    expect(await newest()).toEqual([]);
  });
});
