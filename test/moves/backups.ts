import { expect, vi } from 'vitest';
import { check, options, report } from '../databases/nation.ts';
import type { Random } from '../domain/random.ts';
import { Holder, standing } from '../entitlement-list/support.ts';
import { EVIDENCE } from '../evidence/support.ts';
import { databaseDouble, noSnapshots } from '../support/doubles.ts';
import { ADMIN, type Answer, Service } from '../support/service.ts';
import { type DatabaseName, SEVERAL } from '../support/several.ts';
import type { Mover } from './movers.ts';
import { PLATES, randomChange } from './twin-changes.ts';
import { comparable, type Fault } from './twins.ts';

/** A service that has lost a database. */
export function serviceWithout(lost: DatabaseName): Service {
  const { [lost]: _, ...left } = SEVERAL;
  return new Service({ ...left, SNAPSHOTS: noSnapshots() });
}

/** A service that has another first key in `TOKEN_KEY`. */
export const rekeyed = (): Service =>
  new Service({ ...SEVERAL, SNAPSHOTS: noSnapshots(), TOKEN_KEY: 'another-key-that-is-long-enough-to-sign' });

/** Likewise, with something around each of its round trips, but for what the call log takes. */
export function aroundWithout(lost: DatabaseName, around: <T>(run: () => Promise<T>) => Promise<T>): Service {
  const { [lost]: _, ...left } = SEVERAL;
  const watched = Object.entries<D1Database>(left).map(([name, database]) => [
    name,
    databaseDouble({ around: (run, sql) => (/"calls"|call_log/.test(sql) ? run() : around(run)) }, database),
  ]);
  return new Service({ ...Object.fromEntries(watched), SNAPSHOTS: noSnapshots() });
}

/** Likewise, of which one round trip to any database fails, by its number from 1; and how many there were. */
export function failingWithout(lost: DatabaseName, at: number, fault: Fault) {
  let trips = 0;
  const killed = aroundWithout(lost, async (run) => {
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
export async function backUpPart(service: Service, code: string, after: string | null): Promise<Part> {
  const query = after === null ? '' : `?after=${after}`;
  const url = `https://parking.test/api/v2/admin/municipalities/${code}/backup${query}`;
  const { status, text } = await service.send(new Request(url, { headers: ADMIN }));
  expect(status, text.slice(0, 500)).toBe(200);
  const last = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '') as Part & { type: string };
  expect(last.type).toBe('part');
  return { text, after: last.after, more: last.more };
}

/** What the next part is answered, whatever that is. */
export const nextPart = (service: Service, code: string, after: string | null): Promise<Answer> =>
  service.call(`/api/v2/admin/municipalities/${code}/backup${after === null ? '' : `?after=${after}`}`, {
    headers: ADMIN,
  });

/** A whole backup, its parts as small as they can be, with something between them. */
export async function backUpInSteps(
  service: Service,
  code: string,
  between: (part: number) => Promise<unknown> = async () => {},
): Promise<string[]> {
  const parts: string[] = [];
  for (let after: string | null = null, more = true; more; ) {
    if (parts.length > 0) await between(parts.length);
    const clock = steppingClock();
    const part: Part = await backUpPart(service, code, after);
    clock.mockRestore();
    parts.push(part.text);
    ({ after, more } = part);
    expect(parts.length).toBeLessThan(30);
  }
  return parts;
}

/** What the first part of a backup goes on after, where more are to come. */
export async function afterFirst(service: Service, code: string): Promise<string> {
  const [first = ''] = await backUpInSteps(service, code);
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
  service: Service,
  code: string,
  part: string,
  { tenant = 'acme', to = 'DB_3' } = {},
): Promise<Answer> =>
  service.call(`/api/v2/admin/municipalities/${code}/restore?${new URLSearchParams({ tenant, to })}`, {
    method: 'POST',
    headers: { ...ADMIN, 'Content-Type': 'application/x-ndjson' },
    body: part,
  });

export const discardOf = (service: Service, code: string): Promise<Answer> =>
  service.call(`/api/v2/admin/municipalities/${code}/restore`, { method: 'DELETE', headers: ADMIN });

/** Restores all parts. */
export async function restoreWhole(
  service: Service,
  code: string,
  parts: readonly string[],
  to: DatabaseName,
): Promise<void> {
  let state: unknown = null;
  for (const part of parts) {
    const { status, body } = await restoreOf(service, code, part, { to });
    expect(status, JSON.stringify(body)).toBe(200);
    ({ state } = body);
  }
  expect(state).toBe('done');
}

export const iso = (at: number): string => new Date(at).toISOString();

/** All that is answered of a city. */
export async function answersOf(asked: Service, { code, headers }: Mover, moments: readonly number[]) {
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
      // The checks above are logged while this is asked, before it or after; and those of a lost database are lost.
      const { body: found, ...answer } = await asked.post(EVIDENCE, body, headers);
      const { checks_count: _, ...compared } = found;
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

/** Random changes to a city. */
export async function change(
  { service, code, headers }: Mover,
  random: Random,
  count: number,
): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const { status } = await randomChange(random)({ service, headers, code });
    expect(status).toBe(200);
  }
}
