import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Office } from '../../clients/parking/office.ts';
import { watchPatrol } from '../../clients/parking/patrol/watch.ts';

const NOW = Date.parse('2026-03-07T12:00:00Z');
const iso = (ms: number): string => new Date(ms).toISOString();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

const item = (finding: string, look_again_at: string | null) => ({
  ...{ id: '1', plate: 'A1', area: { code: 'S1', name: 'Via Roma', area_type: 'street' }, seen_at: iso(NOW) },
  ...{ finding, look_again_at, doubts: [] },
});

const refused = { id: '1', refused: { code: 'TEMPORARY_ERROR', message: 'no' } };

/** Watches a sighting of now. It says what was shown and asked about, and what it was told at the end. */
async function watch(answer: () => object, sleep: (ms: number) => Promise<void>) {
  const shown: { finding?: string }[] = [];
  const asked: (string | undefined)[] = [];
  const office = {
    ...{ json: true, call: {}, signal: new AbortController().signal, municipality: () => ({}) },
    terminal: { jsonLine: (one: { finding?: string }) => shown.push(one) },
    client: {
      checkPatrol: async ({ checks }: { checks: { seen_at?: string }[] }) => {
        asked.push(checks[0]?.seen_at);
        return { ok: true, answer: { generated_at: iso(Date.now()), results: [answer()] } };
      },
    },
  };
  const sighting = { id: '1', plate: 'A1', area_code: 'S1' };
  const asking = { municipality: undefined, officer: undefined };
  // What a watched patrol needs of an office.
  const watching = watchPatrol(office as unknown as Office, [sighting], asking, sleep);
  const stop = await watching.then(
    () => null,
    (error: Error) => error,
  );
  return { shown, asked, stop };
}

const sleepOn = async (ms: number) => {
  vi.advanceTimersByTime(ms);
};

it('A watched patrol asks again until all is settled, though a timer fires early', async () => {
  const answers = [item('look_again', iso(NOW + 30_000)), item('no_entitlement', null)];
  // The first fires a millisecond early, as a timer of Node may.
  let early = 2;
  const sleep = async (ms: number) => {
    vi.advanceTimersByTime(ms - early);
    early = 0;
  };
  const { shown, stop } = await watch(() => answers.shift() ?? {}, sleep);
  expect([shown.map(({ finding }) => finding), stop]).toEqual([['look_again', 'no_entitlement'], null]);
});

it('A watched patrol asks again about the instant of a sighting that failed, not about a later one', async () => {
  const answers = [refused, item('no_entitlement', null)];
  const { asked } = await watch(() => answers.shift() ?? {}, sleepOn);
  expect(asked).toEqual([undefined, iso(NOW)]);
});

it('A watched patrol gives up a sighting that fails for an hour', async () => {
  const { asked, stop } = await watch(() => refused, sleepOn);
  expect([asked.length, stop]).toMatchObject([61, { exitCode: 1 }]);
});
