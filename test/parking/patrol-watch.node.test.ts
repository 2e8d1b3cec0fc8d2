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

it('A watched patrol asks again until all is settled, though a timer fires early', async () => {
  const answers = [item('look_again', iso(NOW + 30_000)), item('no_entitlement', null)];
  const shown: { finding: string }[] = [];
  const office = {
    ...{ json: true, call: {}, signal: new AbortController().signal, municipality: () => ({}) },
    terminal: { jsonLine: (one: { finding: string }) => shown.push(one) },
    client: {
      checkPatrol: async () => ({
        ok: true,
        answer: { generated_at: iso(Date.now()), results: [answers.shift()] },
      }),
    },
  };
  // The first fires a millisecond early, as a timer of Node may.
  let early = 2;
  const sleep = async (ms: number) => {
    vi.advanceTimersByTime(ms - early);
    early = 0;
  };
  const sighting = { id: '1', plate: 'A1', area_code: 'S1' };
  // What a watched patrol needs of an office.
  const asking = { municipality: undefined, officer: undefined };
  await watchPatrol(office as unknown as Office, [sighting], asking, sleep);
  expect(shown.map(({ finding }) => finding)).toEqual(['look_again', 'no_entitlement']);
});
