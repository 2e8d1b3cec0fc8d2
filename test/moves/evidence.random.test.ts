import { beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../domain/random.ts';
import { EVIDENCE } from '../evidence/support.ts';
import { RUN_SEED } from '../support/run-form.ts';
import { PLATES } from './twin-changes.ts';
import { comparable, FAULTS, MOVER, TWIN, Twins } from './twins.ts';

const random = new Random(RUN_SEED);
/** Instants at which both had received the same: before all moves, during and between them. */
const moments: number[] = [];
let twins: Twins;

beforeAll(async () => {
  twins = await Twins.begin(random);
  await keepMoment();
});

/** Nothing is recorded any more at the instant that is kept. */
async function keepMoment(): Promise<void> {
  const now = Date.now();
  moments.push(now);
  while (Date.now() <= now) await scheduler.wait(1);
}

/** Both are checked, and it is in their call logs. */
async function checkBoth(plate: string): Promise<void> {
  for (const code of [MOVER, TWIN]) {
    const { status } = await twins.service.settle('/api/v2/parking-entitlements/search', {
      method: 'POST',
      headers: twins.headersOf(code),
      body: { plate },
    });
    expect(status).toBe(200);
  }
}

const iso = (at: number | undefined): string => new Date(at ?? expect.fail('no instant')).toISOString();

async function expectSameEvidence(when: string, plate: string): Promise<void> {
  const gate = random.pick([{}, { area_code: 'P1', event: 'entry' }, { area_code: 'S1' }]);
  const asked = [
    { at: iso(moments[0]) },
    { at: iso(random.pick(moments)), known_at: iso(random.pick(moments)) },
    { at: iso(moments.at(-1)) },
  ];
  for (const instants of asked) {
    const body = { plate, ...instants, ...gate };
    await twins.expectSame(`evidence ${JSON.stringify(body)} ${when}`, async (code) => {
      const answer = await twins.service.post(EVIDENCE, body, twins.headersOf(code));
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      const checks = answer.body.checks as object[];
      return [
        comparable(answer),
        checks.map((made) => ({ ...made, at: '', request_id: '', credential_id: '' })),
      ];
    });
  }
}

describe(`A municipality that moves there and back (TEST_SEED=${RUN_SEED})`, () => {
  it('gives the evidence of its unmoved twin of any instant, behind each round trip of a move', async () => {
    await twins.moveWithEachFault(
      4,
      () => random.pick(FAULTS),
      async (when) => {
        const plate = random.pick(PLATES);
        await checkBoth(plate);
        await keepMoment();
        await expectSameEvidence(when, plate);
      },
    );
  }, 240_000);
});
