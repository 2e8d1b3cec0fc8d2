import { beforeAll, describe, expect, it } from 'vitest';
import { around, city, credentialFor, importLines, moveWhole, putDocument } from '../databases/nation.ts';
import { EVIDENCE } from '../evidence/support.ts';
import { noSnapshots } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { type DatabaseName, prepareSeveral, SEVERAL } from '../support/several.ts';

const CODE = 'L219';
const PLATE = 'AB123CD';
const service = new Service({ ...SEVERAL, SNAPSHOTS: noSnapshots() });
let headers: Record<string, string>;
/** Instants between what happened, and the checks at them. */
const asked: { at: number; request_id: unknown }[] = [];

/** Whether the session was valid, as far as each officer could know. */
const known = [false, true];

const line = around(Date.now());
const send = (changed: object) =>
  importLines(service, headers, 'sessions', CODE, [
    { session_id: 'S-1', plate: PLATE, area_code: 'P1', ...line, ...changed },
  ]);

/** An officer checks the plate, and time passes. */
async function officerAsks(): Promise<void> {
  await scheduler.wait(2);
  const { body } = await service.settle('/api/v2/parking-entitlements/search', {
    method: 'POST',
    headers,
    body: { plate: PLATE },
  });
  asked.push({ at: Date.now(), request_id: body.request_id });
  await scheduler.wait(2);
}

beforeAll(async () => {
  await prepareSeveral();
  await putDocument(service, {
    tenants: [{ code: 'acme', name: 'Acme' }],
    municipalities: [city({ code: CODE, name: 'Torino', database: 'DB' })],
  });
  headers = await credentialFor(service, [CODE], { scopes: ['plate_check', 'import', 'evidence'] });
  await send({ plate: 'OTHER1' });
  await officerAsks();
  await send({});
  await officerAsks();
});

/** Where it goes, one after the other; each time a session is cancelled or not, and an officer asks once more. */
const STATIONS: readonly { to: DatabaseName; isCancelled: boolean }[] = [
  { to: 'DB_2', isCancelled: true },
  { to: 'DB_3', isCancelled: false },
  { to: 'DB', isCancelled: true },
  { to: 'DB_2', isCancelled: false },
];

describe('Evidence of a municipality that has moved', () => {
  const evidenceAt = async (at: number) =>
    (await service.post(EVIDENCE, { plate: PLATE, at: new Date(at).toISOString() }, headers)).body;

  it.each(STATIONS)(
    'to $to tells what was known at each instant before, and every check once',
    async ({ to, isCancelled }) => {
      const before = await Promise.all(asked.map(({ at }) => evidenceAt(at)));
      await moveWhole(service, CODE, to);
      for (const [index, { at }] of asked.entries()) {
        const { as_known_then, as_known_now, history, checks, checks_count, known_since } =
          await evidenceAt(at);
        expect({ as_known_then, as_known_now, history, known_since }).toEqual({
          as_known_then: before[index]?.as_known_then,
          as_known_now: before[index]?.as_known_now,
          history: before[index]?.history,
          known_since: before[index]?.known_since,
        });
        expect(as_known_then).toMatchObject({ has_valid_parking: known[index] });
        const ids = (checks as { request_id: unknown }[]).map(({ request_id }) => request_id);
        expect(ids).toEqual(asked.map(({ request_id }) => request_id));
        expect(checks_count).toBe(asked.length);
      }
      await send({ cancelled_at: isCancelled ? new Date().toISOString() : null });
      known.push(!isCancelled);
      await officerAsks();
    },
  );
});
