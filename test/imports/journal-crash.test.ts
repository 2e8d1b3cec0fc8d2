import { describe, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import { Random } from '../domain/random.ts';
import { someOf } from '../support/run-form.ts';
import { Service } from '../support/service.ts';
import { journaledCity, journalOf, NOW, standing } from './journal-support.ts';
import {
  aSessionLine,
  aSubscriptionLine,
  countsOf,
  APP1_SESSIONS as SESSIONS,
  SUBSCRIPTIONS,
} from './support.ts';
import { storesLines, watchedDb } from './watched-db.ts';

const LOST = 'D1_ERROR: Network connection lost.';

const { importInto } = journaledCity();

describe.each([
  ['sessions', SESSIONS, aSessionLine({ plate: 'NEW' }), aSessionLine()],
  ['subscriptions', SUBSCRIPTIONS, aSubscriptionLine({ plates: [{ plate: 'NEW' }] }), aSubscriptionLine()],
] as const)('The answer of the database that is lost, of %s', (_name, path, line, before) => {
  it('appends nothing twice, when the write is done again', async () => {
    await importInto(path, [before]);
    const { length } = await journalOf('parking_session', 'subscription');
    let lost = 0;
    const DB = watchedDb({
      after: (sql) => {
        if ((storesLines(sql) || sql.includes('source_imports')) && lost < 2) {
          lost += 1;
          throw new Error(LOST);
        }
      },
    });
    countsOf(await importInto(path, [line], new Service({ DB })));
    expect(lost).toBe(path === SESSIONS ? 2 : 1);
    expect(await journalOf('parking_session', 'subscription')).toHaveLength(length + 2);
    expect(await journalOf('import')).toHaveLength(path === SESSIONS ? 2 : 0);
  });

  it('tells what really happened, when another import came in between', async () => {
    await importInto(path, [before]);
    let hasCome = false;
    const DB = watchedDb({
      after: (sql) => {
        if (storesLines(sql) && !hasCome) {
          hasCome = true;
          throw new Error(LOST);
        }
      },
      before: async () => {
        if (hasCome === true && !done) {
          done = true;
          await importInto(path, [before]);
        }
      },
    });
    let done = false;
    await importInto(path, [line], new Service({ DB }));
    const plates = (await journalOf('parking_session', 'subscription'))
      .filter((entry) => entry.record !== null)
      .map(({ plate }) => plate);
    // The other import came after the one whose answer was lost, and stands.
    expect(plates).toEqual(['AB123CD', 'NEW', 'AB123CD']);
  });
});

describe('Row and journal', () => {
  it.each(someOf([1, 2, 3, 4, 5, 6, 7, 8], 2))(
    'stay in step through random files, some of them cut off (seed %i)',
    async (seed) => {
      const random = new Random(seed);
      for (let round = 0; round < 12; round++) {
        vi.setSystemTime(NOW + round * MINUTE_MS);
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
              revision,
            }),
          ),
          new Service({ DB }),
        );
        const { journaled, stored } = await standing();
        expect(journaled).toEqual(stored);
      }
    },
  );
});
