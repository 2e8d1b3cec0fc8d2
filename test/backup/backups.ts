import { env } from 'cloudflare:workers';
import { expect, vi } from 'vitest';
import type { Random } from '../domain/random.ts';
import { Holder, standing } from '../entitlement-list/support.ts';
import { EVIDENCE } from '../evidence/support.ts';
import { databaseDouble, noSnapshots } from '../support/doubles.ts';
import { ADMIN, type Answer, Service } from '../support/service.ts';
import {
  around as aroundNow,
  type City,
  check,
  HERE,
  iso,
  options,
  putDocument,
  report,
  send,
  THERE,
} from './cells.ts';

const PLATES = ['AA000AA', 'BB111BB', 'CC222CC'];

/** A service with something around each of its round trips, but for what the call log takes. */
export function serviceAround(
  around: <T>(run: () => Promise<T>, sql: string) => Promise<T>,
  database: D1Database = env.OTHER_CELL,
): Service {
  const DB = databaseDouble(
    { around: (run, sql) => (/"calls"|call_log/.test(sql) ? run() : around(run, sql)) },
    database,
  );
  return new Service({ DB, SNAPSHOTS: noSnapshots() });
}

/** What may happen to a round trip: nothing is done, or all is done and nobody hears of it. */
export const FAULTS = ['refused', 'answer lost'] as const;

/** The other cell, of which one round trip fails, by its number from 1; and how many there were. */
export function failingThere(at: number, fault: (typeof FAULTS)[number]) {
  let trips = 0;
  const killed = serviceAround(async (run) => {
    trips += 1;
    if (trips !== at) return run();
    if (fault === 'answer lost') await run();
    throw new Error('D1_ERROR: the step was killed');
  });
  return { killed, trips: () => trips };
}

interface Part {
  readonly text: string;
  readonly after: string;
  readonly more: boolean;
}

/** One part of a backup, as it came. */
export async function backUpPart(code: string, after: string | null, service = HERE): Promise<Part> {
  const query = after === null ? '' : `?after=${after}`;
  const url = `https://parking.test/api/v2/admin/municipalities/${code}/backup${query}`;
  const { status, text } = await service.send(new Request(url, { headers: ADMIN }));
  expect(status, text.slice(0, 500)).toBe(200);
  const last = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '') as Part & { type: string };
  expect(last.type).toBe('part');
  return { text, after: last.after, more: last.more };
}

/** What the next part is answered, whatever that is. */
export const nextPart = (code: string, after: string | null, service = HERE): Promise<Answer> =>
  service.call(`/api/v2/admin/municipalities/${code}/backup${after === null ? '' : `?after=${after}`}`, {
    headers: ADMIN,
  });

/** Many times what a random city has: a part may have two of its configurations and no more. */
const MAX_PARTS = 200;

/** A whole backup, its parts as small as they can be, with something between them. */
export async function backUpInSteps(
  code: string,
  between: (part: number) => Promise<unknown> = async () => {},
): Promise<string[]> {
  const parts: string[] = [];
  for (let after: string | null = null, more = true; more; ) {
    if (parts.length > 0) await between(parts.length);
    const clock = steppingClock();
    const part: Part = await backUpPart(code, after);
    clock.mockRestore();
    parts.push(part.text);
    ({ after, more } = part);
    expect(parts.length, 'it comes to an end').toBeLessThan(MAX_PARTS);
  }
  return parts;
}

/** What the first part of a backup goes on after, where more are to come. */
export async function afterFirst(code: string): Promise<string> {
  const [first = ''] = await backUpInSteps(code);
  return afterOf(first);
}

/** What the part after this one goes on after. */
export const afterOf = (part: string): string =>
  (JSON.parse(part.trimEnd().split('\n').at(-1) ?? '{}') as { after: string }).after;

/** A call does one step and no more. */
export function steppingClock() {
  let now = performance.now();
  return vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 2_000;
    return now;
  });
}

export const restoreOf = (
  code: string,
  part: string,
  { tenant = 'acme', service = THERE } = {},
): Promise<Answer> =>
  service.call(`/api/v2/admin/municipalities/${code}/restore?${new URLSearchParams({ tenant })}`, {
    method: 'POST',
    headers: { ...ADMIN, 'Content-Type': 'application/x-ndjson' },
    body: part,
  });

/** Discards a restore, in as many calls as that takes. */
export async function discardOf(code: string, service = THERE): Promise<Answer> {
  for (;;) {
    const answer = await service.call(`/api/v2/admin/municipalities/${code}/restore`, {
      ...{ method: 'DELETE', headers: ADMIN },
    });
    if (answer.body.state !== 'discarding') return answer;
  }
}

/** Restores all parts, or those of a restore that is done later. */
export async function restoreWhole(code: string, parts: readonly string[], end = 'done'): Promise<void> {
  let state: unknown = null;
  for (const part of parts) {
    const { status, body } = await restoreOf(code, part);
    expect(status, JSON.stringify(body)).toBe(200);
    ({ state } = body);
  }
  expect(state).toBe(end);
}

/** At the top of an answer, what differs from call to call. */
const CHANGING = ['request_id', 'checked_at', 'generated_at', 'after_30', 'after_60', 'checks'];

/** An answer without what differs from call to call. */
function comparable({ status, body }: Answer): unknown {
  const kept = Object.entries(body).filter(([name]) => !CHANGING.includes(name));
  const withoutTime = (name: string, value: unknown): unknown => {
    if (name === 'late_by_seconds') return null;
    // "14:21 29/12/2026": of an offer it has the call's time of day.
    return name === 'scadenza' ? String(value).split(' ')[1] : value;
  };
  return JSON.parse(JSON.stringify([status, Object.fromEntries(kept)], withoutTime));
}

/** All that is answered of a city. */
export async function answersOf(asked: Service, { code, headers }: City, moments: readonly number[]) {
  const answers: Record<string, unknown> = {};
  const keep = (what: string, answer: Answer) => {
    expect(answer.status, `${what}: ${JSON.stringify(answer.body)}`).toBe(200);
    answers[what] = comparable(answer);
  };
  const of = { municipality_code: code };
  for (const plate of PLATES) {
    keep(`check ${plate}`, await check(asked, headers, { plate, ...of }));
    keep(`gate ${plate}`, await check(asked, headers, { plate, ...of, area_code: 'P1', event: 'entry' }));
    keep(`options ${plate}`, await options(asked, headers, { plate, ...of }));
    for (const at of moments) {
      const body = { plate, at: iso(at), known_at: iso(moments.at(-1) ?? at), area_code: 'P1' };
      // The call log is not restored.
      const { body: found, ...answer } = await asked.post(EVIDENCE, body, headers);
      const { checks_count: _, checks_since: __, ...compared } = found;
      keep(`evidence ${plate} ${at}`, { ...answer, body: compared });
    }
  }
  for (const area_type of ['facility', 'street']) {
    keep(`report ${area_type}`, await report(asked, headers, { ...of, area_type }));
  }
  const holder = new Holder(asked, headers);
  await holder.refresh();
  answers.list = Object.values(standing(holder))
    .map(({ id: _, ...entry }) => JSON.stringify(entry))
    .sort();
  return answers;
}

/** The status, and the error's code or else the state. */
export const codeOf = ({ status, body }: Answer): unknown => [
  status,
  (body.error as { code: string } | null)?.code ?? body.state,
];

/** Nothing is recorded any more at the instant that is kept. */
export async function keepMoment(moments: number[]): Promise<void> {
  const now = Date.now();
  moments.push(now);
  while (Date.now() <= now) await scheduler.wait(1);
}

/** A random change. */
function randomChange(random: Random): (to: City) => Promise<Answer> {
  const now = Date.now();
  const plate = random.pick(PLATES);
  const key = `K-${random.below(6)}`;
  const [kind, line] = random.pick([
    [
      'sessions',
      {
        session_id: key,
        plate,
        area_code: random.pick(['P1', 'S1']),
        ...aroundNow(now + (random.below(5) - 2) * 1_800_000),
        cancelled_at: random.oneIn(5) ? new Date(now).toISOString() : null,
      },
    ],
    [
      'subscriptions',
      {
        ...{ subscription_number: key, type: 'RES', approval: 'approved' },
        plates: random.oneIn(6)
          ? []
          : PLATES.filter((other) => other === plate || random.oneIn(3)).map((one) => ({ plate: one })),
        areas: random.pick(['all', ['P1'], ['S1']]),
        periods: random.oneIn(3) ? [] : [aroundNow(now)],
      },
    ],
  ] as const);
  return (to) =>
    random.oneIn(6)
      ? putDocument(to.service, {
          municipalities: [{ code: to.code, areas: [{ code: 'P1', capacity: 10 + random.below(50) }] }],
        })
      : send(to, kind, line);
}

/** Random changes to a city. */
export async function change(city: City, random: Random, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const { status } = await randomChange(random)(city);
    expect(status).toBe(200);
  }
}
