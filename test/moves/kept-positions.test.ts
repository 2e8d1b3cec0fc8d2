import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { stateOf } from '../../src/upkeep/transfer/back-up.ts';
import { eraseAll } from '../admin/plates-support.ts';
import { moveOf, putDocument } from '../databases/nation.ts';
import { importLines } from '../entitlement-list/support.ts';
import type { Service } from '../support/service.ts';
import { SEVERAL } from '../support/several.ts';
import {
  afterOf,
  aroundWithout,
  backUpInSteps,
  backUpPart,
  codeOf,
  nextPart,
  rekeyed,
  restoreOf,
  serviceWithout,
  steppingClock,
} from './backups.ts';
import { beginMoving, type Mover, send, session, settle, subscription } from './movers.ts';
import { NAMES } from './round-trips.ts';

/** What a backup, a restore and a move keep of how far they have come: positions, and no key or plate of anybody. */

/** Of another tenant’s newest session and subscription, which are in the same database. */
const OTHERS = ['THEIR-SESSION', 'THEIR-NUMBER', 'TH333IR', 'TH444IR'];
/** Of the city itself: so its sessions, numbers and plates begin. */
const OWN = ['OWN-SESSION', 'OWN-NUMBER', 'OWNPLATE'];
/** More than a step reads. */
const SUBSCRIPTIONS = 150;
/** More plates than are compared at once. */
const SESSIONS = 600;

let service: Service;
let lost: Service;
let cities = 0;
let mover: Mover;

const plateOf = (index: number): string => `OWNPLATE${String(index).padStart(3, '0')}`;

beforeAll(async () => {
  service = await beginMoving();
  lost = serviceWithout('DB_2');
  await putDocument(service, { tenants: [{ code: 'other', name: 'Other' }] });
  return () => vi.restoreAllMocks();
});
beforeEach(async () => {
  cities += 1;
  mover = await settle(service, `KEPT${cities}`, 'DB_2');
  const neighbour = await settle(service, `NEXT${cities}`, 'DB_2', { tenant: 'other' });
  const query = `municipality_code=${mover.code}`;
  const indexes = (count: number) => Array.from({ length: count }, (_, index) => index);
  await importLines(
    service,
    mover.headers,
    `/api/v2/imports/sessions?source_code=app1&${query}`,
    indexes(SESSIONS).map((index) => session(`OWN-SESSION-${index}`, plateOf(index))),
  );
  await importLines(
    service,
    mover.headers,
    `/api/v2/imports/subscriptions?${query}`,
    // Every other one is without a plate.
    indexes(SUBSCRIPTIONS).map((index) =>
      subscription(`OWN-NUMBER-${index}`, index % 2 === 0 ? [plateOf(index)] : []),
    ),
  );
  await eraseAll(service, plateOf(7));
  await send(neighbour, 'subscriptions', subscription('THEIR-NUMBER', ['TH444IR']));
  await send(neighbour, 'sessions', session('THEIR-SESSION', 'TH333IR'));
});

/** A text, and all that is written in it as base64. */
function decoded(text: string): string {
  const inside = [...text.matchAll(/[\w+/-]{8,}/g)].flatMap(([found]) => {
    const bytes = found.slice(0, found.length - (found.length % 4 === 1 ? 1 : 0));
    return [...Uint8Array.fromBase64(bytes.replaceAll('-', '+').replaceAll('_', '/'))];
  });
  return text + inside.map((byte) => String.fromCharCode(byte)).join('');
}

const namedIn = (text: string): string[] =>
  [...OTHERS, ...OWN].filter((name) => decoded(text).includes(name));

/** All that the databases keep of moves and restores. */
async function keptOfMoves(): Promise<string> {
  const rows = await Promise.all(
    NAMES.map((name) => SEVERAL[name].prepare('select * from moves').all<Record<string, unknown>>()),
  );
  return JSON.stringify(rows.map(({ results }) => results));
}

it('What would be found is found, in clear and in base64', () => {
  expect(namedIn('"OWN-SESSION-1"')).toEqual(['OWN-SESSION']);
  expect(namedIn(`{"after":"${btoa('{"key":"THEIR-SESSION"}').replace(/=+$/, '')}"}`)).toEqual([
    'THEIR-SESSION',
  ]);
});

describe('The position of a backup', () => {
  it('holds no key and no plate, neither sealed nor opened', async () => {
    const parts = await backUpInSteps(service, mover.code);
    const states = await Promise.all(parts.map((part) => stateOf(afterOf(part), mover.code, env)));
    expect(states.some(({ position }) => position?.after !== null)).toBe(true);
    expect(states.at(-1)?.position).toBeNull();
    for (const [index, part] of parts.entries()) {
      expect(namedIn(afterOf(part)), `part ${index + 1}`).toEqual([]);
      expect(namedIn(JSON.stringify(states[index])), `part ${index + 1}, opened`).toEqual([]);
      expect(decoded(afterOf(part)), `part ${index + 1}`).not.toMatch(/position|begunAt|DB_2/);
    }
    expect(namedIn(await keptOfMoves())).toEqual([]);
  });

  it('is the same where the same part is taken twice, and another one in another backup', async () => {
    const [first = '', second = ''] = await backUpInSteps(service, mover.code);
    const clock = steppingClock();
    const again = await backUpPart(service, mover.code, afterOf(first));
    clock.mockRestore();
    expect(again.text).toBe(second);
    const [another = ''] = await backUpInSteps(service, mover.code);
    expect(afterOf(another)).not.toBe(afterOf(first));
  });

  it('is gone where it was made up, changed, sealed by another key or made for another municipality', async () => {
    const [first = ''] = await backUpInSteps(service, mover.code);
    const after = afterOf(first);
    const other = await settle(service, `${mover.code}O`, 'DB_2');
    const clear = btoa(JSON.stringify(await stateOf(after, mover.code, env))).replace(/=+$/, '');
    const tries = {
      'made up': nextPart(service, mover.code, 'made-up'),
      'not sealed': nextPart(service, mover.code, clear.replaceAll('+', '-').replaceAll('/', '_')),
      changed: nextPart(service, mover.code, `${after.slice(0, -2)}${after.endsWith('AA') ? 'BB' : 'AA'}`),
      cut: nextPart(service, mover.code, after.slice(0, 8)),
      'of another municipality': nextPart(service, other.code, after),
      'sealed by another key': nextPart(rekeyed(), mover.code, after),
    };
    for (const [what, answer] of Object.entries(tries)) {
      expect(codeOf(await answer), what).toEqual([410, 'CURSOR_GONE']);
    }
    expect((await nextPart(service, mover.code, after)).status).toBe(200);
  });
});

it('A restore keeps no key and no plate at any time, and nothing of its parts once it is done', async () => {
  const parts = await backUpInSteps(service, mover.code);
  // So that plates are compared with what was erased since.
  await eraseAll(service, plateOf(3));
  for (const [index, part] of parts.slice(0, -1).entries()) {
    expect(codeOf(await restoreOf(lost, mover.code, part))).toEqual([200, 'restoring']);
    expect(namedIn(await keptOfMoves()), `after part ${index + 1}`).toEqual([]);
  }
  const kept: string[] = [];
  const watched = aroundWithout('DB_2', async (run) => {
    const result = await run();
    kept.push(await keptOfMoves());
    return result;
  });
  const last = parts.at(-1) ?? expect.fail('no part');
  expect(codeOf(await restoreOf(watched, mover.code, last))).toEqual([200, 'done']);
  expect(kept.some((each) => each.includes(String.raw`\"erasing\":{`))).toBe(true);
  for (const [trip, each] of kept.entries()) expect(namedIn(each), `after trip ${trip + 1}`).toEqual([]);
  expect(codeOf(await restoreOf(lost, mover.code, last)), 'once more').toEqual([200, 'done']);
  const restore = await env.THIRD.prepare(
    "select restore from moves where from_database = 'backup'",
  ).first<string>('restore');
  expect(JSON.parse(restore ?? '{}')).toMatchObject({ after: null, part: null, erasing: null });
});

it('A move keeps no key and no plate while it copies', async () => {
  let calls = 0;
  for (let state: unknown = null; state !== 'done'; calls += 1) {
    expect(calls).toBeLessThan(40);
    const clock = steppingClock();
    ({ state } = (await moveOf(service, mover.code, 'DB_3')).body);
    clock.mockRestore();
    expect(namedIn(await keptOfMoves()), String(state)).toEqual([]);
  }
  expect(calls).toBeGreaterThan(4);
});
