import { env } from 'cloudflare:workers';
import { beforeAll, expect, it } from 'vitest';
import { readCredential } from '../../src/office/credentials/managed-credentials-table.ts';
import { writeCredentialRow } from '../../src/serving/access/credential-row-table.ts';
import {
  CITIES,
  change,
  type Issued,
  issue,
  outcomeOf,
  pairOf,
  revoke,
  rotate,
} from '../credentials/support.ts';
import { Random } from '../domain/random.ts';
import { EvictableCalls } from '../support/evictable.ts';
import { someOf } from '../support/run-form.ts';
import { seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { unsteadyBindings } from '../support/unsteady.ts';

const SEEDS = someOf(
  Array.from({ length: 5 }, (_, index) => index + 1),
  1,
);
const WRITES = ['insert', 'update'];

beforeAll(() => seed(CITIES));

const row = (id: string) =>
  env.DB.prepare('select name, revoked_at, version from credentials where id = ?')
    .bind(id)
    .first<{ name: string; revoked_at: number | null; version: number }>();

const full = () =>
  env.DB.batch(
    WRITES.map((what) =>
      env.DB.prepare(
        `create trigger full_${what} before ${what} on credentials begin select raise(abort, 'database or disk is full'); end`,
      ),
    ),
  );
const roomAgain = () =>
  env.DB.batch(WRITES.map((what) => env.DB.prepare(`drop trigger if exists full_${what}`)));

it.each(SEEDS)(
  'Whatever the database and the evictions do, the newest pair passes until it is revoked, and the list follows once it can (seed %i)',
  async (number) => {
    const random = new Random(number);
    const office = new Service(unsteadyBindings(random));
    let pair: Issued = await issue(office, { rate_limit: { limit: 10_000, window_seconds: 60 } });
    const { credentialId } = pair;
    const calls = new EvictableCalls(credentialId);
    let name = 'Gate 1';

    async function expectConsistent(outcome: string): Promise<void> {
      const listed = await row(credentialId);
      expect(await outcomeOf(office, pair.accessToken)).toBe(outcome);
      if (outcome === '200') expect(listed?.revoked_at).toBeNull();
    }

    for (let step = 0; step < 8; step++) {
      const isFull = random.oneIn(2);
      if (isFull) await full();
      await calls.call(async () => {
        if (!isFull && random.oneIn(2)) {
          pair = pairOf(await rotate(office, credentialId, { overlap_seconds: random.pick([0, 60]) }));
        } else {
          name = `step ${step}`;
          // Two at once: each is made on what the other leaves.
          const answers = await Promise.all([
            change(office, credentialId, { name }),
            change(office, credentialId, { historical_days_allowed: step }),
          ]);
          const status = isFull ? 500 : 200;
          expect(answers.map((answer) => answer.status)).toEqual([status, status]);
        }
      });
      await expectConsistent('200');
      if (random.oneIn(2)) await calls.evict();
      await expectConsistent('200');
      await roomAgain();
    }

    await full();
    expect((await revoke(office, credentialId)).status).toBe(500);
    await calls.evict();
    await expectConsistent('TOKEN_REVOKED');
    expect((await row(credentialId))?.revoked_at).toBeNull();
    await roomAgain();
    expect((await revoke(office, credentialId)).status).toBe(200);
    await expectConsistent('TOKEN_REVOKED');
    expect(await row(credentialId)).toMatchObject({ name, revoked_at: expect.any(Number) });
  },
);

it('A write of the row that comes late leaves a newer row alone, with its municipalities', async () => {
  const office = new Service();
  const { credentialId } = await issue(office, { municipalities: ['H501', 'L219'] });
  const late = (await readCredential(env.DB, credentialId)) ?? expect.fail();
  expect((await change(office, credentialId, { municipalities: ['H501'] })).status).toBe(200);
  expect((await revoke(office, credentialId)).status).toBe(200);
  const newest = await readCredential(env.DB, credentialId);
  expect(newest?.record.credential.municipalities).not.toEqual(late.record.credential.municipalities);
  await writeCredentialRow(env.DB, late);
  expect(await readCredential(env.DB, credentialId)).toEqual(newest);
});
