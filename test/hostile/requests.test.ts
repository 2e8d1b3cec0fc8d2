import { env } from 'cloudflare:workers';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { runCron } from '../../src/crons.ts';
import { instant } from '../../src/domain/instant.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';
import { APP_SOURCE, CITY, ROME, seed, TENANT } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';
import { EveryAnswer } from './answers.ts';
import { rightTexts, TARGETS, type Target } from './operations.ts';
import { type Caller, hostileRequests, type Plan, requestOf, shown } from './requests.ts';
import { writesOf } from './writes.ts';

const REQUESTS = shortOrThorough(50, 2_100);
/** To an operation that is slow, or whose route another path has too. */
const FEW_REQUESTS = shortOrThorough(25, 300);
/** What no client could send is never sent: a small share, of which a short list may have more. */
const MIN_SENT = shortOrThorough(0.85, 0.95);
/** Many times what it takes: an erasure looks through the log of all calls before it. */
const LIMIT_MS = shortOrThorough(120_000, 900_000);
/** Sent at once, so that one's wait is another's work. */
const AT_ONCE = 40;

/** The requests to one of the targets: others for each, so that few to each are many kinds in all. */
function plansFor(target: Target, place: number, caller: Caller): readonly Plan[] {
  const numRuns = target.sharesRoute || target.slow ? FEW_REQUESTS : REQUESTS;
  return fc.sample(hostileRequests(target, caller), { seed: RUN_SEED + place, numRuns });
}

/** Sends requests to every operation that are wrong in a few ways, or in none, as a stranger and as one who is let in. */
const service = new Service({}, 100);
const everyAnswer = new EveryAnswer();
const lines: string[] = [];
let stranger: TestCredential;
let revoked: TestCredential;
let callId: string;

beforeAll(async () => {
  for (const level of ['log', 'info', 'warn', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((line) => lines.push(String(line)));
  }
  await seed({
    ...CITY,
    tenants: [TENANT, { ...TENANT, id: 2, code: 'beta' }],
    municipalities: [
      { ...ROME, publicOccupancyEnabled: true },
      { ...ROME, id: 2, code: 'F205', tenantId: 2 },
    ],
    sources: [APP_SOURCE, { ...APP_SOURCE, id: 2, municipalityId: 2 }],
    parkingSessions: [
      {
        municipalityId: 1,
        sourceCode: 'app1',
        sessionId: 's-1',
        areaId: 2,
        plate: 'AB123CD',
        startsAt: Date.now() - 3_600_000,
        endsAt: Date.now() + 3_600_000,
      },
    ],
  });
  await runCron('* * * * *', env, () => instant(Date.now()));
  stranger = await issueCredential({ tenantId: 2 }, [2]);
  revoked = await issueCredential({ revokedAt: 1 });
  const answer = await service.call(TARGETS.find(({ caller }) => caller === 'credential')?.path ?? '', {
    method: 'POST',
    headers: (await issueCredential()).headers,
    body: { plate: 'AB123CD' },
  });
  callId = String(answer.headers.get('X-Request-Id'));
});

describe(`Whatever is sent (TEST_SEED=${RUN_SEED})`, () => {
  it.each(TARGETS)(
    'to the operation $name is answered, and as described',
    async (target) => {
      const own = await issueCredential();
      const caller: Caller = {
        headers: callerHeaders(target.caller, own),
        tokens: [own.accessToken, own.apiKey, stranger.accessToken],
        ids: { CREDENTIAL: own.credentialId, REVOKED: revoked.credentialId, CALL: callId },
        right: rightTexts(Date.now()),
      };
      // On a slow machine the snapshots of the first operations' time would be too old for the last ones.
      await runCron('* * * * *', env, () => instant(Date.now()));
      const statuses = new Map<number, number>();
      lines.length = 0;

      const send = async (plan: Plan): Promise<string[]> => {
        const request = requestOf(plan);
        if (request === null) return [];
        try {
          const writes = writesOf(env.DB);
          const answer = await service.send(request, { DB: writes.DB });
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          everyAnswer.expect(answer, target.showsTokens);
          if (target.readsOnly || answer.status >= 400) {
            expect(writes.tables().filter((table) => !target.writesWhenRefused.includes(table))).toEqual([]);
          }
          return [];
        } catch (error) {
          return [`${shown(plan)}\n${String(error)}`];
        }
      };
      const plans = plansFor(target, TARGETS.indexOf(target), caller);
      const failures: string[] = [];
      const atOnce = target.oneByOne ? 1 : AT_ONCE;
      for (let from = 0; from < plans.length; from += atOnce) {
        failures.push(...(await Promise.all(plans.slice(from, from + atOnce).map(send))).flat());
      }
      expect(failures.slice(0, 3).join('\n'), `${failures.length} of ${plans.length} requests`).toBe('');

      const count = [...statuses.values()].reduce((sum, number) => sum + number, 0);
      expect(count).toBeGreaterThan(plans.length * MIN_SENT);
      expect(lines.length).toBeGreaterThan(plans.length / 2);
      expect(lines.filter((line) => /pev_(?:at|ak)_[0-9a-z]/i.test(line))).toEqual([]);
    },
    LIMIT_MS,
  );
});

function callerHeaders(caller: 'credential' | 'administrator' | 'anybody', own: TestCredential) {
  return caller === 'credential' ? own.headers : caller === 'administrator' ? ADMIN : {};
}
