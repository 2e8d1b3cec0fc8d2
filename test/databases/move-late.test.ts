import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { completeArrivals } from '../../src/databases/arrival-table.ts';
import { noSnapshots } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { type DatabaseName, prepareSeveral, SEVERAL } from '../support/several.ts';
import { check, city, credentialFor, moveOf, moveWhole, parkIn, plateOf, putDocument } from './nation.ts';
import { change, hintedAt, holding, KINDS, NAMES, refusing, sends, type Trip } from './round-trips.ts';

const CODE = 'L219';
const ID = `(select id from municipalities where code = '${CODE}')`;
const service = new Service({ ...SEVERAL, SNAPSHOTS: noSnapshots() });
let headers: Record<string, string>;

beforeAll(async () => {
  for (const level of ['log', 'warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation(() => {});
  await prepareSeveral();
  await putDocument(service, {
    tenants: [{ code: 'acme', name: 'Acme' }],
    municipalities: [city({ code: CODE, name: 'Torino', database: 'DB' })],
  });
  headers = await credentialFor(service, [CODE]);
  await parkIn(service, headers, { code: CODE });
  return () => vi.restoreAllMocks();
});

/** What the databases have of the municipality, each under its name. */
async function each<T>(query: string): Promise<[DatabaseName, T[]][]> {
  const read = async (name: DatabaseName): Promise<[DatabaseName, T[]]> => {
    const { results } = await SEVERAL[name].prepare(query).all<T>();
    return [name, results];
  };
  return Promise.all(NAMES.map(read));
}

/** Names of the databases that have such a row. */
const having = async (query: string): Promise<DatabaseName[]> =>
  (await each(query)).filter(([, rows]) => rows.length > 0).map(([name]) => name);

const LIVES = `select 1 from municipalities where code = '${CODE}' and moved_to is null`;
const TAKES_WRITES = `${LIVES} and writes_stopped_until is null`;
const MOVES = `select 1 from moves where municipality_id = ${ID}`;
const HISTORY = `select kind, key, plate, record from journal where municipality_id = ${ID} and key is not null order by sequence`;

const historyIn = async (name: DatabaseName): Promise<unknown[]> =>
  (await SEVERAL[name].prepare(HISTORY).all()).results;

/** One database says that it lives there, with all that is of it; whoever asks is led there, from wherever they begin. */
async function expectToLiveIn(name: DatabaseName, history: unknown[], when: string): Promise<void> {
  await completeArrivals({ ...env, ...SEVERAL });
  expect(await having(LIVES), when).toEqual([name]);
  expect(await having(TAKES_WRITES), when).toEqual([name]);
  expect(await historyIn(name), when).toEqual(history);
  for (const hint of NAMES) {
    const asked = { plate: plateOf({ code: CODE }), municipality_code: CODE };
    const { status, body } = await check(hintedAt(hint, CODE), headers, asked);
    const { sessions_count, subscriptions_count } = body;
    expect([status, sessions_count, subscriptions_count], `${when}, asked ${hint} first`).toEqual([
      200, 1, 1,
    ]);
  }
}

type Role = 'from' | 'to' | 'third';
interface Story {
  readonly meanwhile: string;
  /** Where the home is on the way of the late call. */
  readonly home: Role;
  /** Where others move it while the call is held back. */
  readonly moves: readonly Role[];
  /** Where it then is on its way to, up to the stop of its writes. */
  readonly half?: Role;
}

const STORIES: readonly Story[] = [
  { meanwhile: 'gone on', home: 'from', moves: ['to', 'third'] },
  { meanwhile: 'gone on to the home', home: 'third', moves: ['to', 'third'] },
  { meanwhile: 'come back', home: 'to', moves: ['to', 'from'] },
  { meanwhile: 'gone on and come back', home: 'third', moves: ['to', 'third', 'from'] },
  { meanwhile: 'come half the way back', home: 'third', moves: ['to'], half: 'from' },
  { meanwhile: 'come back and gone half the way again', home: 'third', moves: ['to', 'from'], half: 'to' },
];

/** The roles of the databases: the home has its own, the others come in their order. */
function rolesOf({ home }: Story): Readonly<Record<Role, DatabaseName>> {
  const others: DatabaseName[] = ['DB_2', 'DB_3'];
  const nameOf = (role: Role) => (role === home ? 'DB' : (others.shift() ?? expect.fail(role)));
  return { from: nameOf('from'), to: nameOf('to'), third: nameOf('third') };
}

async function moveTo(name: DatabaseName): Promise<void> {
  const [lives] = await having(LIVES);
  if (lives !== name) await moveWhole(service, CODE, name);
}

/** Begins to move the municipality back or there again: up to the stop of its writes, which is refused. */
async function moveHalf(name: DatabaseName): Promise<void> {
  const { status } = await moveOf(refusing(sends('stopWrites')), CODE, name);
  expect(status).toBe(500);
}

/**
 * Lets others move the municipality while a call is held back before one of its changes, by its number from 1, and then
 * lets the call go on.
 *
 * @returns the round trip that came late. Null: the call has no change of this number
 */
async function moveLate(story: Story, at: number): Promise<Trip | null> {
  const roles = rolesOf(story);
  await moveTo(roles.from);
  const history = await historyIn(roles.from);
  const held = holding(change(at));
  const call = moveOf(held.service, CODE, roles.to);
  const trip = await Promise.race([held.reached, call.then(() => null)]);
  if (trip === null) return null;
  for (const role of story.moves) await moveWhole(service, CODE, roles[role]);
  const half = story.half && roles[story.half];
  if (half !== undefined) await moveHalf(half);
  held.release();
  const { status, body } = await call;
  const when = `held back before ${trip.number}: ${trip.sql}`;
  expect([200, 409], `${when}: ${JSON.stringify(body)}`).toContain(status);
  await expectToLiveIn(roles[story.moves.at(-1) ?? 'from'], history, when);
  if (half !== undefined) {
    // What the databases know of the move that is under way is its own.
    expect(await having(MOVES), when).toEqual(
      NAMES.filter((name) => name === roles.from || name === roles.to),
    );
    await moveWhole(service, CODE, half);
    await expectToLiveIn(half, history, `${when}, and moved all the way`);
  }
  expect(await having(MOVES), when).toEqual([]);
  return trip;
}

describe('A call of a move that is held back while its municipality', () => {
  it.each(STORIES)(
    'has $meanwhile (home: $home) changes nothing any more, whichever of its round trips comes late',
    async (story) => {
      const late: Trip[] = [];
      for (
        let trip = await moveLate(story, 1);
        trip !== null;
        trip = await moveLate(story, late.length + 1)
      ) {
        late.push(trip);
      }
      // The home needs no pointer to itself.
      const kinds = KINDS.filter((kind) => story.home !== 'to' || kind !== 'renewPointer');
      expect(kinds.filter((kind) => !late.some(sends(kind)))).toEqual([]);
    },
    120_000,
  );
});
