import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { eraseAll } from '../admin/plates-support.ts';
import { afterOf, backUpInSteps, backUpPart, codeOf, nextPart, restoreOf, steppingClock } from './backups.ts';
import {
  beginCells,
  type City,
  HERE,
  idOf,
  putDocument,
  send,
  session,
  settle,
  subscription,
} from './cells.ts';

/** What a backup and a restore keep of how far they have come: positions, and no key or plate of anybody. */

/** Of another tenant’s newest session and subscription, who has the same database. */
const OTHERS = ['THEIR-SESSION', 'THEIR-NUMBER', 'TH333IR', 'TH444IR'];
/** Of the city itself: so its sessions, numbers and plates begin. */
const OWN = ['OWN-SESSION', 'OWN-NUMBER', 'OWNPLATE'];
/** More than a step reads. */
const SUBSCRIPTIONS = 150;
/** More than one part of a restore inserts at once. */
const SESSIONS = 600;

let cities = 0;
let city: City;

const plateOf = (index: number): string => `OWNPLATE${String(index).padStart(3, '0')}`;

beforeAll(async () => {
  await beginCells();
  await putDocument(HERE, { tenants: [{ code: 'other', name: 'Other' }] });
  return () => vi.restoreAllMocks();
});
beforeEach(async () => {
  cities += 1;
  city = await settle(`KEPT${cities}`);
  const neighbour = await settle(`NEXT${cities}`, { tenant: 'other' });
  const indexes = (count: number) => Array.from({ length: count }, (_, index) => index);
  await send(
    city,
    'sessions',
    ...indexes(SESSIONS).map((index) => session(`OWN-SESSION-${index}`, plateOf(index))),
  );
  await send(
    city,
    'subscriptions',
    // Every other one is without a plate.
    ...indexes(SUBSCRIPTIONS).map((index) =>
      subscription(`OWN-NUMBER-${index}`, index % 2 === 0 ? [plateOf(index)] : []),
    ),
  );
  await eraseAll(HERE, plateOf(7));
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

/** How far the other cell's restores have come. */
async function keptOfRestores(): Promise<string> {
  const { results } = await env.OTHER_CELL.prepare('select restoring from municipalities').all();
  return JSON.stringify(results);
}

it('What would be found is found, in clear and in base64', () => {
  expect(namedIn('"OWN-SESSION-1"')).toEqual(['OWN-SESSION']);
  expect(namedIn(`{"after":"${btoa('{"key":"THEIR-SESSION"}').replace(/=+$/, '')}"}`)).toEqual([
    'THEIR-SESSION',
  ]);
});

describe('The position of a backup', () => {
  it('holds numbers alone, behind the backup’s id', async () => {
    const parts = await backUpInSteps(city.code);
    expect(parts.length).toBeGreaterThan(5);
    for (const part of parts) expect(afterOf(part)).toMatch(/^[0-9a-f-]{36}(\.\d+)+$/);
  });

  it('is the same where the same part is taken twice, and another one in another backup', async () => {
    const [first = '', second = ''] = await backUpInSteps(city.code);
    const clock = steppingClock();
    const again = await backUpPart(city.code, afterOf(first));
    clock.mockRestore();
    expect(again.text).toBe(second);
    const [another = ''] = await backUpInSteps(city.code);
    expect(afterOf(another)).not.toBe(afterOf(first));
  });

  it('is gone where it was made up, cut, or made for another municipality', async () => {
    const [first = ''] = await backUpInSteps(city.code);
    const after = afterOf(first);
    const other = await settle(`${city.code}O`);
    const tries = {
      'made up': nextPart(city.code, 'made-up'),
      cut: nextPart(city.code, after.slice(0, 8)),
      'of another municipality': nextPart(other.code, after),
    };
    for (const [what, answer] of Object.entries(tries)) {
      expect(codeOf(await answer), what).toEqual([410, 'CURSOR_GONE']);
    }
    expect((await nextPart(city.code, after)).status).toBe(200);
  });
});

it('A restore keeps no key of anybody, and nothing of its parts once it is done', async () => {
  const parts = await backUpInSteps(city.code);
  for (const [index, part] of parts.slice(0, -1).entries()) {
    expect(codeOf(await restoreOf(city.code, part))).toEqual([200, 'restoring']);
    expect(namedIn(await keptOfRestores()), `after part ${index + 1}`).toEqual([]);
  }
  const last = parts.at(-1) ?? expect.fail('no part');
  expect(codeOf(await restoreOf(city.code, last))).toEqual([200, 'done']);
  expect(codeOf(await restoreOf(city.code, last)), 'once more').toEqual([200, 'done']);
  const restoring = await env.OTHER_CELL.prepare(
    `select restoring from municipalities where id = ${idOf(city.code)}`,
  ).first('restoring');
  expect(restoring).toBeNull();
});
