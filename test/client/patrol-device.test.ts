import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createPatrol,
  type PatrolSettings,
  type Seen,
  type Settled,
} from '../../clients/client/patrol/index.ts';
import { A_STREET, NOW } from '../patrol/street.ts';
import { issueCredential } from '../support/credential.ts';
import { seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';

const service = new Service();

beforeAll(() => seed(A_STREET));
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  return () => vi.useRealTimers();
});

/** So long ago that nothing is awaited, also by a clock that is some seconds off. */
const SEEN_AT = new Date(NOW - 20 * 60_000);
const LONG = 'X'.repeat(70_000);

/** A device that asks the service itself, and what it has sent and heard. */
async function device({ limit = 10_000, ...changed }: Partial<PatrolSettings> & { limit?: number } = {}) {
  const { accessToken } = await issueCredential({ rateLimit: limit });
  const calls: { status: number; checks: { plate: string; alternatives?: string[] }[] }[] = [];
  const settled: Settled[] = [];
  const failures: string[] = [];
  const inProcess: typeof fetch = async (input, init) => {
    const { pathname } = new URL(String(input));
    const body = typeof init?.body === 'string' ? init.body : undefined;
    const answer = await service.settle(pathname, {
      ...{ method: init?.method ?? 'GET', headers: { ...(init?.headers as Record<string, string>) } },
      ...(body !== undefined && { body }),
    });
    if (body !== undefined) calls.push({ status: answer.status, checks: JSON.parse(body).checks });
    const headers = new Headers(answer.headers);
    headers.set('Date', new Date().toUTCString());
    return new Response(JSON.stringify(answer.body), { status: answer.status, headers });
  };
  const patrol = createPatrol({
    ...{ baseUrl: 'https://parking.test', token: accessToken, inBackground: false, askWithinMs: 20_000 },
    ...{ fetch: inProcess, onSettled: (one) => void settled.push(one) },
    onFailure: (failure) => void failures.push('code' in failure ? failure.code : failure.message),
    ...changed,
  });
  const see = (seen: Partial<Seen>) =>
    patrol.see({ plate: 'HERE', areaCode: 'S1', seenAt: SEEN_AT, ...seen });
  const stepsOf = () => Object.fromEntries(settled.map(({ plate, step }) => [plate, step]));
  return { patrol, see, calls, settled, failures, stepsOf };
}

describe('A device holds no sighting up', () => {
  it('for a plate that no call has room for: the officer decides about it at once', async () => {
    const { patrol, see, stepsOf, failures } = await device();
    for (const plate of ['HERE', 'NOBODY', LONG, 'NEXT', 'TITLE']) await see({ plate });
    expect(await patrol.ask()).toBe(true);
    expect(stepsOf()).toEqual({
      ...{ HERE: 'let_go', NOBODY: 'issue', [LONG]: 'officer_decides', NEXT: 'officer_decides' },
      TITLE: 'let_go',
    });
    expect([patrol.waiting, failures]).toEqual([0, []]);
  });

  it('for an area that nobody could have meant', async () => {
    const { patrol, see, settled } = await device();
    await see({ areaCode: LONG });
    await see({ areaCode: ' ' });
    await see({});
    expect(await patrol.ask()).toBe(true);
    expect(settled.map(({ step }) => step).sort()).toEqual(['let_go', 'officer_decides', 'officer_decides']);
  });

  it('for readings that the service would refuse: they are left out', async () => {
    const { patrol, see, calls, settled } = await device();
    await see({
      plate: 'ab-123-cd',
      alternatives: [
        ...[LONG, 'ELSEWHERE', '--', 'AB123CD', 'A8 123 CD', 'a8123cd', 'AB1Z3CD', 'AB12ECD'],
        ...['AB123CO', 'AB123C0', 'AB123CQ'],
      ],
    });
    await see({ plate: '--', alternatives: ['HERE'] });
    expect(await patrol.ask()).toBe(true);
    expect(calls.map(({ status }) => status)).toEqual([200]);
    expect(calls[0]?.checks.map(({ alternatives }) => alternatives)).toEqual([
      ['A8123CD', 'AB1Z3CD', 'AB12ECD', 'AB123CO', 'AB123C0'],
      [],
    ]);
    expect(settled.map(({ step }) => step)).toEqual(['issue', 'officer_decides']);
  });

  it('for a hundred sightings with readings full of blank space', async () => {
    const { patrol, see, calls, settled } = await device();
    const wide = ' '.repeat(1_000);
    for (let n = 100; n < 200; n += 1) {
      await see({ plate: `AB${n}CD`, alternatives: [`A8${n}CD`, `AB${n}CO`].map((text) => text + wide) });
    }
    expect(await patrol.ask()).toBe(true);
    expect([calls.map(({ status }) => status), settled.length]).toEqual([[200], 100]);
  });

  it('for a call that is too large as a whole: it is sent again in halves', async () => {
    const { patrol, see, calls, settled } = await device();
    const wide = ' '.repeat(1_000);
    for (let n = 100; n < 200; n += 1) await see({ plate: `AB${n}CD${wide}.` });
    expect(await patrol.ask()).toBe(true);
    expect(calls.map(({ status, checks }) => [status, checks.length])).toEqual([
      [413, 100],
      [200, 50],
      [200, 50],
    ]);
    expect(new Set(settled.map(({ step }) => step))).toEqual(new Set(['issue']));
    expect(settled).toHaveLength(100);
  });

  it('for more plates than its credential may ever ask about', async () => {
    const { patrol, see, calls, settled } = await device({ limit: 20 });
    for (let n = 100; n < 112; n += 1) await see({ plate: `AB${n}CD`, alternatives: [`A8${n}CD`] });
    await patrol.ask();
    expect(calls[0]?.status).toBe(422);
    for (let minute = 1; minute < 4 && patrol.waiting > 0; minute += 1) {
      vi.setSystemTime(NOW + minute * 60_001);
      await patrol.ask();
    }
    expect(settled.map(({ step }) => step)).toEqual(Array(12).fill('issue'));
  });

  it('for one sighting that is more than its credential may ask about', async () => {
    const { patrol, see, stepsOf } = await device({ limit: 5 });
    await see({ plate: 'AB123CD', alternatives: ['A8123CD', 'AB1Z3CD', 'AB12ECD', 'AB123CO', 'AB123C0'] });
    await see({});
    await patrol.ask();
    vi.setSystemTime(NOW + 60_001);
    await patrol.ask();
    expect(stepsOf()).toEqual({ AB123CD: 'officer_decides', HERE: 'let_go' });
  });

  it('for what an earlier version has kept of readings', async () => {
    const sighting = { plate: 'HERE', areaCode: 'S1', seenAt: SEEN_AT.getTime(), dated: true, askAt: 0 };
    const alternatives = [[], ['ELSEWHERE'], [LONG], Array(9).fill('H3RE')];
    const sightings = alternatives.map((some, id) => ({ ...sighting, id: String(id), alternatives: some }));
    const text = JSON.stringify({ version: 1, serviceAheadMs: 0, sightings });
    const { patrol, settled } = await device({ store: { load: async () => [text], save: async () => {} } });
    expect(await patrol.ask()).toBe(true);
    expect(settled.map(({ step }) => step)).toEqual(Array(4).fill('let_go'));
  });
});

describe('A device keeps', () => {
  it.each([new Date(Number.NaN), new Date(-1), new Date(8.64e15)])(
    'nothing that was seen at no time: %s',
    async (seenAt) => {
      const { patrol, see } = await device();
      await expect(see({ seenAt })).rejects.toThrow(RangeError);
      expect(patrol.waiting).toBe(0);
    },
  );

  it('what it cannot ask about for a wrong setting', async () => {
    const { patrol, see, settled, failures } = await device({ municipalityCode: 'NONE' });
    await see({});
    expect(await patrol.ask()).toBe(false);
    expect([patrol.waiting, settled, failures]).toEqual([1, [], ['MUNICIPALITY_NOT_ALLOWED']]);
  });
});
