import { beforeEach, describe, expect, it } from 'vitest';
import { eraseAll } from '../admin/plates-support.ts';
import { issueCredential } from '../support/credential.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY, RESIDENTS } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import {
  APP1_SESSIONS,
  aSessionLine,
  aSubscriptionLine,
  counts,
  countsOf,
  errorsOf,
  file,
  SESSIONS,
  SUBSCRIPTIONS,
  send,
  storedSessions,
  storedSubscriptions,
} from './support.ts';

const FORGED = `*${'0123456789abcdef'.repeat(4)}`;
const service = new Service();
let headers: Record<string, string>;

beforeEach(async () => {
  await freshDatabase({
    ...CITY,
    subscriptionTypes: [RESIDENTS],
    sources: [...CITY.sources, { ...CITY.sources[0], id: 8, code: 'app8' }],
  });
  ({ headers } = await issueCredential());
});

const KINDS = [
  {
    what: 'session',
    path: APP1_SESSIONS,
    property: 'session_id',
    line: (key: string) => aSessionLine({ session_id: key }),
    keys: async () => (await storedSessions()).map(({ session_id }) => String(session_id)),
  },
  {
    what: 'subscription',
    path: SUBSCRIPTIONS,
    property: 'subscription_number',
    line: (key: string) => aSubscriptionLine({ subscription_number: key }),
    keys: async () =>
      (await storedSubscriptions()).map(({ subscription_number }) => String(subscription_number)),
  },
];

describe.each(KINDS)(
  'The key of a $what that has the form of an erased key’s digest',
  ({ path, property, line, keys }) => {
    const imported = (lines: readonly object[], language = 'en') =>
      send(service, path, file(lines), { ...headers, 'Accept-Language': language });

    it.each([
      [
        'en',
        'must not have the form of an erased key’s digest, * and 64 hexadecimal digits, unless it is stored',
      ],
      [
        'it',
        'non deve avere la forma dell’impronta di una chiave cancellata, * e 64 cifre esadecimali, se non è già salvata',
      ],
    ])('rejects its line, and no other (%s)', async (language, message) => {
      const answer = await imported([line(FORGED), line('before'), line(` ${FORGED} `)], language);
      expect(countsOf(answer)).toEqual(counts({ received: 3, created: 1, rejected: 2 }));
      expect(errorsOf(answer)).toEqual(
        [1, 3].map((number) => ({
          line: number,
          code: 'INVALID_REQUEST',
          message: `${property}: ${message}`,
        })),
      );
      expect(await keys()).toEqual(['before']);
    });

    it.each([FORGED.slice(1), FORGED.slice(0, -1), `${FORGED}0`, FORGED.toUpperCase(), `x${FORGED}`])(
      'is not this one: %s',
      async (key) => {
        expect(countsOf(await imported([line(key)]))).toEqual(counts({ received: 1, created: 1 }));
      },
    );

    it('is taken if it is stored, with the key that it replaced in the same file too', async () => {
      await imported([line('of AB123CD')]);
      await eraseAll(service, 'AB123CD');
      const [stored = ''] = await keys();
      expect(stored).toMatch(/^\*[0-9a-f]{64}$/);
      const answer = await imported([line(stored), line('of AB123CD'), line(FORGED)]);
      expect(countsOf(answer)).toEqual(counts({ received: 3, unchanged: 2, rejected: 1 }));
      expect(await keys()).toEqual([stored]);
    });
  },
);

it('A digest that another source’s session has is none that is stored in this one', async () => {
  await send(service, APP1_SESSIONS, file([aSessionLine({ session_id: 'of AB123CD' })]), headers);
  await eraseAll(service, 'AB123CD');
  const [stored] = await storedSessions();
  const again = file([aSessionLine({ session_id: stored?.session_id })]);
  const answer = await send(service, `${SESSIONS}?source_code=app8`, again, headers);
  expect(countsOf(answer)).toEqual(counts({ received: 1, rejected: 1 }));
});

it('An import whose lines all have forged keys has failed', async () => {
  const path = '/api/v2/parking/reports/active-by-area';
  const freshness = async () =>
    (await service.post(path, { area_type: 'street' }, headers)).body.source_freshness;
  await send(service, APP1_SESSIONS, file([aSessionLine({ session_id: FORGED })]), headers);
  expect(await freshness()).toMatchObject([{ status: 'error' }, {}]);
});
