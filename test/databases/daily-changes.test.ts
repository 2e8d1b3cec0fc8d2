import { beforeAll, expect, it } from 'vitest';
import { beginMoving, type Mover, moveThere, send, session, settle } from '../moves/movers.ts';
import type { Service } from '../support/service.ts';
import { type DatabaseName, SEVERAL } from '../support/several.ts';
import { putDocument } from './nation.ts';

let service: Service;
beforeAll(async () => {
  service = await beginMoving();
});

const limitTo = (code: string, daily_changes: number | null) =>
  putDocument(service, { tenants: [{ code, name: code, daily_changes }] });

const limitIn = (name: DatabaseName, code: string) =>
  SEVERAL[name].prepare('select daily_changes from tenants where code = ?').bind(code).first('daily_changes');

/** How many of so many new sessions are taken. */
async function taken(mover: Mover, name: string, count: number): Promise<number> {
  let created = 0;
  for (let index = 0; index < count; index += 1) {
    const { body } = await send(mover, 'sessions', session(`${name}-${index}`, 'AB123CD'));
    created += Number(body.created);
  }
  return created;
}

it('A tenant’s daily changes hold in each database where it has municipalities, each counted there', async () => {
  await limitTo('spread', 2);
  const atHome = await settle(service, 'spread-1', 'DB', { tenant: 'spread' });
  const elsewhere = await settle(service, 'spread-2', 'DB_2', { tenant: 'spread' });
  expect([await taken(atHome, 'a', 3), await taken(elsewhere, 'a', 3)]).toEqual([2, 2]);
  await limitTo('spread', 3);
  expect([await limitIn('DB', 'spread'), await limitIn('DB_2', 'spread')]).toEqual([3, 3]);
  expect([await taken(atHome, 'b', 2), await taken(elsewhere, 'b', 2)]).toEqual([1, 1]);
  await limitTo('spread', null);
  expect([await limitIn('DB', 'spread'), await limitIn('DB_2', 'spread')]).toEqual([null, null]);
  expect([await taken(atHome, 'c', 2), await taken(elsewhere, 'c', 2)]).toEqual([2, 2]);
});

it('A tenant’s daily changes go with a municipality that moves, into a database that has not heard of them', async () => {
  await limitTo('going', 1);
  const mover = await settle(service, 'going-1', 'DB_2', { tenant: 'going' });
  expect(await taken(mover, 'a', 2)).toBe(1);
  await moveThere(service, mover.code, 'DB_3');
  expect(await limitIn('DB_3', 'going')).toBe(1);
  expect(await taken(mover, 'b', 2)).toBe(1);
});
