import { beforeAll, describe, it } from 'vitest';
import { check, options, report } from '../databases/nation.ts';
import { Random } from '../domain/random.ts';
import { RUN_SEED } from '../support/run-form.ts';
import { PLATES } from './twin-changes.ts';
import { comparable, FAULTS, type Fault, Twins } from './twins.ts';

const random = new Random(RUN_SEED);
let twins: Twins;

beforeAll(async () => {
  twins = await Twins.begin(random);
});

async function expectTwins(when: string, plates: readonly string[]): Promise<void> {
  const { service } = twins;
  for (const plate of plates) {
    for (const area of [{}, { area_code: 'P1', event: 'entry' }]) {
      await twins.expectSame(`check ${when}`, async (code) =>
        comparable(await check(service, twins.headersOf(code), { plate, municipality_code: code, ...area })),
      );
    }
    await twins.expectSame(`options ${when}`, async (code) =>
      comparable(await options(service, twins.headersOf(code), { plate, municipality_code: code })),
    );
  }
  await twins.expectSame(`report ${when}`, async (code) =>
    comparable(await report(service, twins.headersOf(code), { municipality_code: code })),
  );
}

describe(`A municipality that moves there and back (TEST_SEED=${RUN_SEED})`, () => {
  it.each([
    ['refused', 1],
    ['answer lost', 2],
  ] as const satisfies readonly [Fault, number][])(
    'answers as its unmoved twin, though a round trip of its move is %s, each in turn',
    async (fault, first) => {
      await twins.moveWithEachFault(
        first,
        () => fault,
        (when, trip) => expectTwins(when, trip % 10 === 0 ? PLATES : [random.pick(PLATES)]),
      );
    },
    240_000,
  );

  it('answers as its unmoved twin, though its moves are called off, each further on than the one before', async () => {
    await twins.callOffBehindEachFault(
      () => random.pick(FAULTS),
      (when) => expectTwins(when, [random.pick(PLATES)]),
    );
  }, 240_000);
});
