import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { storedPlate } from '../../src/domain/plate.ts';
import { keyDigest } from '../../src/storage/plate-digest/erased-plate.ts';
import { digestKeys, plateDigest } from '../../src/storage/plate-digest/plate-digest.ts';
import { City } from '../support/city.ts';
import { CITY } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import {
  aSessionLine,
  aSubscriptionLine,
  counts,
  countsOf,
  file,
  APP1_SESSIONS as SESSIONS,
  SUBSCRIPTIONS,
  send,
  storedSessions,
  storedSubscriptions,
} from './support.ts';

const [DIGEST_KEY = ''] = digestKeys(env);
const NEW_KEY = 'a-new-key-of-more-than-thirty-two-characters';
const ERASED_AT = '2026-03-10T12:30:00+01:00';
const LATER = '2026-03-10T12:45:00+01:00';
const PSEUDONYM = /^\*[0-9a-f]{14}$/;

const city = new City(CITY, { anew: true });

/** Erases a plate as the office does, but for what is stored already. */
const erase = async (plate: string, key = DIGEST_KEY) =>
  env.DB.prepare('insert into erased_plates (municipality_id, digest, erased_at) values (1, ?, ?)')
    .bind(plateDigest(key, 'H501', storedPlate(plate)), Date.parse(ERASED_AT))
    .run();

/** Lifts that as the office does. */
const lift = async (plate: string) =>
  env.DB.prepare('delete from erased_plates where digest = ?')
    .bind(plateDigest(DIGEST_KEY, 'H501', storedPlate(plate)))
    .run();

beforeEach(() => erase('AB123CD'));

const importInto = (path: string, lines: readonly object[], service = city.service) =>
  send(service, path, file(lines), city.headers);
const sessions = (...lines: readonly object[]) => importInto(SESSIONS, lines);
const subscriptions = (...lines: readonly object[]) => importInto(SUBSCRIPTIONS, lines);
const aLeftOut = counts({ received: 1, unchanged: 1, erased: 1 });

describe('A session of an erased plate', () => {
  it('that began before the erasure has a pseudonym of its own in its place, again and again the same', async () => {
    const two = counts({ received: 2, unchanged: 2, erased: 2 });
    expect(countsOf(await sessions(aSessionLine(), aSessionLine({ session_id: 's-2' })))).toEqual(two);
    const stored = await storedSessions();
    expect(stored).toMatchObject(Array(2).fill({ plate: expect.stringMatching(PSEUDONYM) }));
    expect(stored[0]?.plate).not.toBe(stored[1]?.plate);
    expect(countsOf(await sessions(aSessionLine({ ends_at: LATER })))).toEqual(aLeftOut);
    expect(await storedSessions()).toEqual(stored);
  });

  it('that begins later is taken', async () => {
    const lines = [ERASED_AT, LATER].map((at, id) => aSessionLine({ session_id: `s-${id}`, starts_at: at }));
    expect(countsOf(await sessions(...lines))).toEqual(counts({ received: 2, created: 2 }));
    expect(await storedSessions()).toMatchObject(Array(2).fill({ plate: 'AB123CD' }));
  });

  it('is corrected to another plate, and not back', async () => {
    await sessions(aSessionLine());
    const corrected = await sessions(aSessionLine({ plate: 'OTHER1' }));
    expect(countsOf(corrected)).toEqual(counts({ received: 1, updated: 1 }));
    expect(countsOf(await sessions(aSessionLine()))).toEqual(aLeftOut);
    expect(await storedSessions()).toMatchObject([{ plate: 'OTHER1' }]);
  });

  it('is counted so in a dry run too, which stores none', async () => {
    expect(countsOf(await importInto(`${SESSIONS}&dry_run=true`, [aSessionLine()]))).toEqual(aLeftOut);
    expect(await storedSessions()).toEqual([]);
  });

  it('has the digest of its key where that contains the plate, by which it is known again', async () => {
    const key = 'app/ab-123.CD/7';
    expect(countsOf(await sessions(aSessionLine({ session_id: key })))).toEqual(aLeftOut);
    const digest = keyDigest(DIGEST_KEY, key);
    expect(await storedSessions()).toMatchObject([{ session_id: digest }]);
    expect(countsOf(await sessions(aSessionLine({ session_id: key })))).toEqual(aLeftOut);
    const corrected = await sessions(aSessionLine({ session_id: key, plate: 'OTHER1' }));
    expect(countsOf(corrected)).toEqual(counts({ received: 1, updated: 1 }));
    expect(await storedSessions()).toMatchObject([{ session_id: digest, plate: 'OTHER1' }]);
  });

  it('is known by a digest key that is no longer the first, too', async () => {
    const key = 'app/ab-123.CD/7';
    await sessions(aSessionLine({ session_id: key }));
    const rotated = new Service({ DIGEST_KEY: `${NEW_KEY},${DIGEST_KEY}` });
    const again = await importInto(SESSIONS, [aSessionLine({ session_id: key })], rotated);
    expect(countsOf(again)).toEqual(aLeftOut);
    expect(await storedSessions()).toHaveLength(1);
  });

  it('is known by the digest of its key, and has its plate again, once the erasure is lifted', async () => {
    const line = aSessionLine({ session_id: 'app/ab-123.CD/7' });
    await sessions(line);
    await lift('AB123CD');
    expect(countsOf(await sessions(line))).toEqual(counts({ received: 1, updated: 1 }));
    expect(await storedSessions()).toMatchObject([{ plate: 'AB123CD' }]);
  });

  it('cannot be imported without a digest key: the import fails', async () => {
    const without = new Service({ DIGEST_KEY: 'too short' });
    expect((await importInto(SESSIONS, [aSessionLine()], without)).status).toBe(500);
    expect(await storedSessions()).toEqual([]);
    const ended = await env.DB.prepare('select outcome from imports').all();
    expect(ended.results).toEqual([{ outcome: 'failed' }]);
  });
});

describe('A title of an erased plate', () => {
  const both = [{ plate: 'AB123CD' }, { plate: 'OTHER1' }];
  const platesOf = async () =>
    (await storedSubscriptions()).map(({ plates }) => (plates as unknown[][]).map(([, plate]) => plate));

  it('is stored without it', async () => {
    const line = aSubscriptionLine({ plates: both });
    expect(countsOf(await subscriptions(line))).toEqual(aLeftOut);
    expect(await platesOf()).toEqual([['OTHER1']]);
    expect(countsOf(await subscriptions(line))).toEqual(aLeftOut);
  });

  it.each([
    ['its own start', { plates: [{ plate: 'AB123CD', valid_from: LATER }] }, ['AB123CD']],
    [
      'its own start before',
      { plates: [{ plate: 'AB123CD', valid_from: ERASED_AT }], authorized_from: LATER },
      [],
    ],
    ['the title’s start', { plates: [{ plate: 'AB123CD' }], authorized_from: LATER }, ['AB123CD']],
    ['the title’s start before', { plates: [{ plate: 'AB123CD' }], authorized_from: ERASED_AT }, []],
  ])('keeps it by %s', async (_, changed, plates) => {
    await subscriptions(aSubscriptionLine(changed));
    expect(await platesOf()).toEqual([plates]);
  });

  it('has the digest of its number where that contains the plate, by which it is known again', async () => {
    const line = aSubscriptionLine({ subscription_number: 'T AB 123 CD', plates: both });
    await subscriptions(line);
    await subscriptions(line);
    expect(await storedSubscriptions()).toMatchObject([
      { subscription_number: keyDigest(DIGEST_KEY, 'T AB 123 CD') },
    ]);
    await lift('AB123CD');
    expect(countsOf(await subscriptions(line))).toEqual(counts({ received: 1, updated: 1 }));
    expect(await platesOf()).toEqual([['AB123CD', 'OTHER1']]);
  });
});
