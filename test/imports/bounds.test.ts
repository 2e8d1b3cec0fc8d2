import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { City, outcomeOf } from '../support/city.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { databaseDouble, objectsDouble } from '../support/doubles.ts';
import { CITY } from '../support/seed.ts';
import { type Answer, Service } from '../support/service.ts';
import {
  aSessionLine,
  aSubscriptionLine,
  file,
  APP1_SESSIONS as SESSIONS,
  SUBSCRIPTIONS,
  send,
  storedSessions,
} from './support.ts';

const NOON = Date.UTC(2026, 2, 10, 11);
const city = new City(CITY, { now: NOON, anew: true });

const importBy = ({ headers }: TestCredential, query = '') =>
  send(city.service, `${SESSIONS}${query}`, file([aSessionLine()]), headers);
const outcome = (answer: Answer) => [...outcomeOf(answer), Number(answer.headers.get('Retry-After'))];
const messageOf = ({ body }: Answer) => (body.error as { message: string }).message;
const imports = async () => (await env.DB.prepare('select outcome from imports').all()).results;

/** Begins an import, and returns what ends it. */
async function begin({ headers }: TestCredential, query = ''): Promise<() => Promise<Answer>> {
  const begun = Promise.withResolvers<void>();
  const rest = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        // Its body is read: it is under way.
        begun.resolve();
        await rest.promise;
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const answering = send(city.service, `${SESSIONS}${query}`, body, headers);
  await begun.promise;
  return () => {
    rest.resolve();
    return answering;
  };
}

describe('A credential', () => {
  it.each(['', '&dry_run=true'])('has one import at a time: %j', async (query) => {
    const credential = await issueCredential();
    const end = await begin(credential, query);
    const refused = await importBy(credential);
    expect(outcome(refused)).toEqual([429, 'RATE_LIMIT_EXCEEDED', 1]);
    expect(messageOf(refused)).toContain('Another import of this credential is under way');
    expect(await imports()).toEqual([]);
    expect((await end()).status).toBe(200);
    expect((await importBy(credential)).status).toBe(200);
  });

  it('has another once the first has counted as ended, and that one ends by itself', async () => {
    const credential = await issueCredential();
    const endFirst = await begin(credential);
    vi.setSystemTime(NOON + 2 * MINUTE_MS);
    const endSecond = await begin(credential);
    await endFirst();
    // The first has not ended the second.
    expect(outcome(await importBy(credential))).toEqual([429, 'RATE_LIMIT_EXCEEDED', 1]);
    await endSecond();
    expect((await importBy(credential)).status).toBe(200);
  });

  it('has the import that it has begun, also where its object’s answer was lost', async () => {
    const credential = await issueCredential();
    let asked = 0;
    const CREDENTIALS = objectsDouble(async (run) => {
      asked += 1;
      const answer = await run();
      // The first call of the object admits, the second one begins the import.
      if (asked === 2) throw Object.assign(new Error('Network connection lost.'), { retryable: true });
      return answer;
    });
    const lines = file([aSessionLine()]);
    const answer = await send(new Service({ CREDENTIALS }), SESSIONS, lines, credential.headers);
    expect(outcomeOf(answer)).toEqual([200, undefined]);
    expect((await importBy(credential)).status).toBe(200);
  });

  it('has no import until midnight once it has stored the changes of a day; what is unchanged is none', async () => {
    const credential = await issueCredential();
    const object = env.CREDENTIALS.getByName(credential.credentialId);
    expect(await object.beginImport('a call')).toBe('begun');
    await object.endImport('a call', 1_999_998);
    for (let times = 0; times < 3; times++) expect((await importBy(credential)).status).toBe(200);
    const title = file([aSubscriptionLine()]);
    expect((await send(city.service, SUBSCRIPTIONS, title, credential.headers)).status).toBe(200);
    const refused = await importBy(credential);
    expect(outcome(refused)).toEqual([429, 'RATE_LIMIT_EXCEEDED', 13 * 3_600]);
    expect(messageOf(refused)).toContain('all changes of its day');
    vi.setSystemTime(NOON - (NOON % DAY_MS) + DAY_MS);
    expect((await importBy(credential)).status).toBe(200);
  });
});

describe('An isolate', () => {
  it('has two imports at a time: a third is refused, moves no freshness, and may begin at once', async () => {
    const third = await issueCredential();
    const ends = [await begin(await issueCredential()), await begin(await issueCredential())];
    const refused = await importBy(third);
    expect(outcome(refused)).toEqual([503, 'BUSY', 5]);
    expect(await imports()).toEqual([]);
    expect(await storedSessions()).toEqual([]);
    for (const end of ends) expect((await end()).status).toBe(200);
    expect((await importBy(third)).status).toBe(200);
  });
});

describe('A database past 9 GB', () => {
  it('takes no import', async () => {
    const { headers } = await issueCredential();
    const DB = databaseDouble({
      around: async (run) => {
        const result = await run();
        for (const { meta } of [result].flat() as D1Result[])
          Object.assign(meta, { size_after: 9_000_000_001 });
        return result;
      },
    });
    const answer = await send(new Service({ DB }), SESSIONS, file([aSessionLine()]), headers);
    expect(outcomeOf(answer)).toEqual([500, 'TEMPORARY_ERROR']);
    expect(await storedSessions()).toEqual([]);
    expect(await imports()).toEqual([]);
  });
});
