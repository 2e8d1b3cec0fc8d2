import { expect, it } from 'vitest';
import { City } from '../support/city.ts';
import { issueCredential } from '../support/credential.ts';
import { CITY } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import {
  aSessionLine,
  counts,
  countsOf,
  file,
  APP1_SESSIONS as SESSIONS,
  send,
  storedSessions,
} from './support.ts';
import { storesLines, watchedDb } from './watched-db.ts';

const LOST = 'D1_ERROR: Network connection lost.';
new City(CITY, { anew: true });

/** By a credential of its own: one that was cut off may still count as under way. */
const importInto = async (DB: D1Database, lines: readonly object[]) =>
  send(new Service({ DB }), SESSIONS, file(lines), (await issueCredential()).headers);

it('A batch that is lost on the way is sent again, twice at most, unless the database refused it', async () => {
  /** How an import ends, and how often its batch was tried, which fails as long as there is a message. */
  async function tried(...messages: readonly string[]) {
    let attempts = 0;
    const DB = watchedDb({
      before: (statements) => {
        if (!statements.some(storesLines)) return;
        const message = messages[attempts++];
        if (message !== undefined) throw new Error(message);
      },
    });
    return [(await importInto(DB, [aSessionLine()])).status, attempts];
  }
  expect(await tried(LOST, LOST)).toEqual([200, 3]);
  expect(await tried(LOST, LOST, LOST)).toEqual([500, 3]);
  expect(await tried('D1_ERROR: D1 DB is overloaded. Requests queued for too long.')).toEqual([500, 1]);
  expect(await tried('D1_ERROR: Network connection lost: overloaded')).toEqual([500, 1]);
  expect(await tried('D1_ERROR: UNIQUE constraint failed')).toEqual([500, 1]);
});

it('A batch whose answer is lost counts as unchanged', async () => {
  let isLost = false;
  const DB = watchedDb({
    after: (sql) => {
      if (!storesLines(sql) || isLost) return;
      isLost = true;
      throw new Error(LOST);
    },
  });
  const lines = Array.from({ length: 600 }, (_, index) => aSessionLine({ session_id: `k-${index}` }));
  expect(countsOf(await importInto(DB, lines))).toEqual(
    counts({ received: 600, created: 100, unchanged: 500 }),
  );
  expect(await storedSessions()).toHaveLength(600);
});
