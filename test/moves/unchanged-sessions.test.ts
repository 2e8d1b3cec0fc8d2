import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { FIRST_SESSION, type NewestSession, takeSessions } from '../../src/transfer/unchanged-sessions-table.ts';
import { check } from '../databases/nation.ts';
import { beginMoving, moveThere, send, session, settle } from './movers.ts';

const read = (...results: NewestSession[]) => ({ results }) as D1Result<NewestSession>;
const newest = (id: number, stays = 1): NewestSession => ({ id, mark: `mark ${id}`, stays });
const place = (upTo: number, id: number) => ({ upTo, newest: { id, mark: `mark ${id}` } });

it('Sessions are looked at up to the newest one, however many', () => {
  expect(takeSessions(read(), FIRST_SESSION, 100)).toEqual({ isAtEnd: true, place: FIRST_SESSION });
  expect(takeSessions(read(newest(250, 0)), FIRST_SESSION, 100)).toEqual({
    isAtEnd: false,
    place: place(100, 250),
  });
  expect(takeSessions(read(newest(260)), place(200, 250), 100)).toEqual({
    isAtEnd: true,
    place: place(260, 260),
  });
});

it('Once the newest one has gone, whose id may be given again, they are looked at from the first on', () => {
  expect(takeSessions(read(newest(250, 0)), place(200, 250), 100)).toEqual({
    isAtEnd: false,
    place: FIRST_SESSION,
  });
});

it('A move takes a session along of which neither its row nor the journal says when it came', async () => {
  const service = await beginMoving();
  const mover = await settle(service, 'U001', 'DB');
  await send(mover, 'sessions', session('S-1', 'AA000AA', { area_code: 'S1' }));
  await env.DB.prepare('update parking_sessions set known_at = null, known_by = null').run();
  await moveThere(service, 'U001', 'DB_2');
  const { body } = await check(service, mover.headers, { plate: 'AA000AA' });
  expect(body).toMatchObject({ has_valid_parking: true });
});
