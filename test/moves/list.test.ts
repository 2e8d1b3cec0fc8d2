import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { around, city, credentialFor, importLines, moveWhole, putDocument } from '../databases/nation.ts';
import { askList, Holder, standing } from '../entitlement-list/support.ts';
import { noSnapshots } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { prepareSeveral, SEVERAL } from '../support/several.ts';

const MOVER = 'L219';
const NEIGHBOUR = 'H501';
const service = new Service({ ...SEVERAL, SNAPSHOTS: noSnapshots() });
let headers: Record<string, string>;
let neighbours: Record<string, string>;

beforeAll(async () => {
  await prepareSeveral();
  await putDocument(service, {
    tenants: [{ code: 'acme', name: 'Acme' }],
    municipalities: [MOVER, NEIGHBOUR].map((code) => city({ code, name: 'City', database: 'DB' })),
  });
  const scopes = ['import', 'entitlement_list'];
  headers = await credentialFor(service, [MOVER], { scopes });
  neighbours = await credentialFor(service, [NEIGHBOUR], { scopes });
});

const session = (session_id: string, changed: object = {}) => ({
  ...{ session_id, plate: `AA${session_id}`, area_code: 'P1', ...around(Date.now()), cancelled_at: null },
  ...changed,
});
const subscription = (subscription_number: string, ...plates: string[]) => ({
  ...{ subscription_number, type: 'RES', approval: 'approved', areas: 'all' },
  ...{ plates: plates.map((plate) => ({ plate })), periods: [around(Date.now())] },
});
const sessions = (...lines: object[]) => importLines(service, headers, 'sessions', MOVER, lines);
const subscriptions = (...lines: object[]) => importLines(service, headers, 'subscriptions', MOVER, lines);

/** The newest change of the database that both are in is then the neighbour's. */
const importNextDoor = () =>
  importLines(service, neighbours, 'sessions', NEIGHBOUR, [session(crypto.randomUUID().slice(0, 8))]);

/** What a cursor is from: which change is the newest one is another thing in each. */
describe.each([
  ['right behind its own last change', async () => undefined],
  ['behind a change of its neighbour', importNextDoor],
])('A cursor from %s', (_, beforeAsking) => {
  let holder: Holder;
  beforeEach(async () => {
    await sessions(session('1'), session('2'));
    await subscriptions(subscription('1', 'BB1', 'BB2'), subscription('2', 'BB3'));
    await beforeAsking();
    holder = new Holder(service, headers);
    await holder.refresh();
    expect(holder.entries.size).toBe(5);
    return async () => {
      await sessions(session('3', { cancelled_at: new Date().toISOString() }));
    };
  });

  /** The holder has what a full list has, whether by the changes or by a full list. */
  async function expectWhole(): Promise<void> {
    const full = new Holder(service, headers);
    await Promise.all([full.refresh(), holder.refresh()]);
    expect(entriesOf(holder)).toEqual(entriesOf(full));
  }

  it('is gone behind a move, and the full list is as it was', async () => {
    const before = entriesOf(holder);
    await moveWhole(service, MOVER, 'DB_2');
    const gone = await askList(service, headers, { cursor: holder.cursor });
    expect(gone).toEqual({ status: 410, code: 'CURSOR_GONE' });
    await holder.refresh();
    expect(entriesOf(holder)).toEqual(before);
    await moveWhole(service, MOVER, 'DB');
  });

  it('misses nothing that changed while the municipality was elsewhere, once it is back', async () => {
    await moveWhole(service, MOVER, 'DB_2');
    await sessions(session('1', { cancelled_at: new Date().toISOString() }), session('3'));
    await subscriptions(subscription('1', 'BB1'), subscription('2'));
    await moveWhole(service, MOVER, 'DB');
    await expectWhole();
    expect(holder.entries.size).toBe(3);
  });

  it('leads to each right once when the municipality is back', async () => {
    await moveWhole(service, MOVER, 'DB_2');
    await moveWhole(service, MOVER, 'DB');
    await expectWhole();
    await subscriptions(subscription('1'), subscription('2'));
    await expectWhole();
    expect(holder.entries.size).toBe(2);
  });

  it('tells its neighbour’s list what has changed there, as if nothing had moved', async () => {
    await importNextDoor();
    const neighbour = new Holder(service, neighbours);
    await neighbour.refresh();
    await moveWhole(service, MOVER, 'DB_2');
    await importNextDoor();
    await moveWhole(service, MOVER, 'DB');
    await neighbour.refresh();
    const full = new Holder(service, neighbours);
    await full.refresh();
    expect(entriesOf(neighbour)).toEqual(entriesOf(full));
    expect(neighbour.fullLists).toBe(1);
  });
});

/** Ids are each list's own. */
const entriesOf = (holder: Holder): string[] =>
  Object.values(standing(holder))
    .map(({ id: _, ...entry }) => JSON.stringify(entry))
    .sort();
