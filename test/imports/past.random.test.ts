import { describe, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import { Random } from '../domain/random.ts';
import { City } from '../support/city.ts';
import { issueCredential } from '../support/credential.ts';
import { someOf } from '../support/run-form.ts';
import { CITY } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { asOf, brokenHistories, changesRecorded, present, versions } from './past-support.ts';
import {
  aSessionLine,
  aSubscriptionLine,
  file,
  APP1_SESSIONS as SESSIONS,
  SUBSCRIPTIONS,
  send,
} from './support.ts';
import { watchedDb } from './watched-db.ts';

const LOST = 'D1_ERROR: Network connection lost.';
const NOW = Date.UTC(2026, 2, 10, 11);

new City(CITY, { now: NOW, anew: true });

/** Each by a credential of its own: one that was cut off may still count as under way. */
const importInto = async (path: string, lines: readonly object[], service: Service) =>
  send(service, path, file(lines), (await issueCredential()).headers);

describe('Present and past', () => {
  it.each(someOf([1, 2, 3, 4, 5, 6, 7, 8], 2))(
    'say of each instant what was stored then, through random files, some of them cut off (seed %i)',
    async (seed) => {
      const random = new Random(seed);
      /** What was stored after each round, by the last change. */
      const stored = new Map<number, readonly string[]>();
      for (let round = 0; round < 12; round++) {
        // Clocks of isolates differ.
        vi.setSystemTime(NOW + round * MINUTE_MS - random.below(3) * MINUTE_MS);
        let trips = random.below(8);
        const DB = watchedDb({
          after: (sql) => {
            if (/"calls"|call_log/.test(sql)) return;
            trips -= 1;
            if (trips === 0) throw new Error(random.oneIn(2) ? LOST : 'D1_ERROR: the disk is full');
          },
        });
        const revision = random.oneIn(2) ? null : random.below(4);
        const plate = random.pick(['A', 'B', 'C']);
        await importInto(
          SESSIONS,
          random.list(3, () =>
            aSessionLine({
              session_id: `s-${random.below(4)}`,
              plate: random.pick(['A', 'B', 'C']),
              area_code: random.pick(['S1', 'P1']),
              ...(random.oneIn(3) && { cancelled_at: '2026-03-10T12:30:00+01:00' }),
              revision,
            }),
          ),
          new Service({ DB }),
        );
        await importInto(
          SUBSCRIPTIONS,
          random.list(2, () =>
            aSubscriptionLine({
              subscription_number: `R-${random.below(3)}`,
              plates: [{ plate }, { plate: random.pick(['D', 'E']) }],
              areas: random.pick(['all', ['S1'], ['P1', 'S1']]),
              revision,
            }),
          ),
          new Service({ DB }),
        );
        stored.set((await changesRecorded()).at(-1) ?? 0, present(await versions()));
        expect(await brokenHistories()).toEqual([]);
      }
      const all = await versions();
      for (const [at, then] of stored) {
        expect(asOf(all, at), `as of ${at}, seed ${seed}`).toEqual(then);
      }
    },
  );
});
