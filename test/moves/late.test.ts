import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { completeArrivals } from '../../src/storage/databases/arrival-table.ts';
import { check, moveOf, moveWhole, parkIn, plateOf } from '../databases/nation.ts';
import { THOROUGH } from '../support/run-form.ts';
import type { Service } from '../support/service.ts';
import { type DatabaseName, SEVERAL } from '../support/several.ts';
import { beginMoving, historyIn, idOf, type Mover, settle } from './movers.ts';
import {
  change,
  hintedAt,
  holding,
  type IsTrip,
  KINDS,
  type Kind,
  NAMES,
  refusing,
  sends,
  type Trip,
} from './round-trips.ts';

let service: Service;
beforeAll(async () => {
  service = await beginMoving();
});

/** Names of the databases that have such a row. */
async function having(query: string): Promise<DatabaseName[]> {
  const rows = await Promise.all(NAMES.map((name) => SEVERAL[name].prepare(query).first()));
  return NAMES.filter((_, index) => rows[index] !== null);
}

const knows = (code: string) => `select 1 from municipalities where code = '${code}'`;
const lives = (code: string) => `${knows(code)} and moved_to is null`;
const takesWrites = (code: string) => `${lives(code)} and writes_stopped_until is null`;
const isMoving = (code: string) =>
  `select 1 from moves where municipality_id = ${idOf(code)} and ended_at is null`;

/** One database says that it lives there, with all that is of it; whoever asks is led there, from wherever it has been. */
async function expectToLiveIn(
  name: DatabaseName,
  { code, headers }: Mover,
  history: unknown[],
  when: string,
): Promise<void> {
  await completeArrivals({ ...env, ...SEVERAL });
  expect(await having(lives(code)), when).toEqual([name]);
  expect(await having(takesWrites(code)), when).toEqual([name]);
  expect(await historyIn(name, code), when).toEqual(history);
  for (const hint of await having(knows(code))) {
    const asked = { plate: plateOf({ code }), municipality_code: code };
    const { status, body } = await check(hintedAt(hint, code), headers, asked);
    const { sessions_count, subscriptions_count } = body;
    expect([status, sessions_count, subscriptions_count], `${when}, asked ${hint} first`).toEqual([
      200, 1, 1,
    ]);
  }
}

type Role = 'from' | 'to' | 'third';
interface Story {
  /** The codes of its cities begin with it. */
  readonly code: string;
  readonly meanwhile: string;
  /** Where the home is on the way of the late call. */
  readonly home: Role;
  /** Where others move it while the call is held back. */
  readonly moves: readonly Role[];
  /** Where it then is on its way to, up to the stop of its writes. */
  readonly half?: Role;
}

const STORIES: readonly Story[] = [
  { code: 'A', meanwhile: 'gone on', home: 'from', moves: ['to', 'third'] },
  { code: 'B', meanwhile: 'gone on to the home', home: 'third', moves: ['to', 'third'] },
  { code: 'C', meanwhile: 'come back', home: 'to', moves: ['to', 'from'] },
  { code: 'D', meanwhile: 'gone on and come back', home: 'third', moves: ['to', 'third', 'from'] },
  { code: 'E', meanwhile: 'come half the way back', home: 'third', moves: ['to'], half: 'from' },
  {
    code: 'F',
    meanwhile: 'come back and gone half the way again',
    home: 'third',
    moves: ['to', 'from'],
    half: 'to',
  },
];

/** The roles of the databases: the home has its own, the others come in their order. */
function rolesOf({ home }: Story): Readonly<Record<Role, DatabaseName>> {
  const others: DatabaseName[] = ['DB_2', 'DB_3'];
  const nameOf = (role: Role) => (role === home ? 'DB' : (others.shift() ?? expect.fail(role)));
  return { from: nameOf('from'), to: nameOf('to'), third: nameOf('third') };
}

/** Begins to move the municipality back or there again: up to the stop of its writes, which is refused. */
async function moveHalf({ code }: Mover, name: DatabaseName): Promise<void> {
  const { status } = await moveOf(refusing(sends('stopWrites')), code, name);
  expect(status).toBe(500);
}

/**
 * Lets others move the municipality while a call is held back before one of its changes, and then lets the call go on.
 *
 * @param number of its cities, from 1
 * @returns the round trip that came late. Null: the call has no such change
 */
async function moveLate(story: Story, number: number, isIt: IsTrip): Promise<Trip | null> {
  const roles = rolesOf(story);
  const code = `${story.code}${number}`;
  const mover = await settle(service, code, roles.from);
  await parkIn(service, mover.headers, mover);
  const history = await historyIn(roles.from, code);
  const held = holding(isIt);
  const call = moveOf(held.service, code, roles.to);
  const trip = await Promise.race([held.reached, call.then(() => null)]);
  if (trip === null) return null;
  for (const role of story.moves) await moveWhole(service, code, roles[role]);
  const half = story.half && roles[story.half];
  if (half !== undefined) await moveHalf(mover, half);
  held.release();
  const { status, body } = await call;
  const when = `held back before ${trip.number}: ${trip.sql}`;
  expect([200, 409], `${when}: ${JSON.stringify(body)}`).toContain(status);
  await expectToLiveIn(roles[story.moves.at(-1) ?? 'from'], mover, history, when);
  if (half !== undefined) {
    // What the databases know of the move that is under way is its own.
    expect(await having(isMoving(code)), when).toEqual(
      NAMES.filter((name) => name === roles.from || name === roles.to),
    );
    await moveWhole(service, code, half);
    await expectToLiveIn(half, mover, history, `${when}, and moved all the way`);
  }
  expect(await having(isMoving(code)), when).toEqual([]);
  return trip;
}

/** The kinds of changes that come late in a story: all in the thorough run; in the short one each kind in one story. */
function kindsIn(story: Story): Kind[] {
  const place = STORIES.indexOf(story);
  const kinds = THOROUGH ? KINDS : KINDS.filter((_, index) => (index + 1) % STORIES.length === place);
  // The home needs no pointer to itself.
  return kinds.filter((kind) => story.home !== 'to' || kind !== 'renewPointer');
}

/** The changes that come late in a story: each in turn; in the short run, the first of each of its kinds. */
function* changesIn(story: Story): Generator<IsTrip> {
  if (THOROUGH) for (let at = 1; ; at += 1) yield change(at);
  yield* kindsIn(story).map(sends);
}

describe('A call of a move that is held back while its municipality', () => {
  it.each(STORIES)(
    'has $meanwhile (home: $home) changes nothing any more, whichever of its round trips comes late',
    async (story) => {
      const late: Trip[] = [];
      for (const isIt of changesIn(story)) {
        const trip = await moveLate(story, late.length + 1, isIt);
        if (trip === null) break;
        late.push(trip);
      }
      expect(kindsIn(story).filter((kind) => !late.some(sends(kind)))).toEqual([]);
    },
    120_000,
  );
});
