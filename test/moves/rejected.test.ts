import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { credentialFor, moveOf, moveWhole } from '../databases/nation.ts';
import type { Service } from '../support/service.ts';
import { beginMoving, idOf, type Mover, moveThere, send, session, settle, subscription } from './movers.ts';
import { holding, sends } from './round-trips.ts';

let service: Service;
let mover: Mover;
let headers: Record<string, string>;
const CODE = 'L219';

beforeAll(async () => {
  service = await beginMoving();
  mover = await settle(service, CODE, 'DB_2');
  headers = await credentialFor(service, [CODE], { scopes: ['patrol'] });
});

/** The plates that are in doubt for a line that was rejected. */
async function doubtful(...plates: readonly string[]): Promise<string[]> {
  const { body } = await service.settle('/api/v2/patrol/checks', {
    method: 'POST',
    headers,
    body: {
      checks: plates.map((plate, id) => ({
        ...{ id: String(id), plate, area_code: 'P1' },
        seen_at: new Date(Date.now() - 7_200_000).toISOString(),
      })),
    },
  });
  const results = body.results as { plate: string; doubts: { code: string }[] }[];
  return results
    .filter(({ doubts }) => doubts.some(({ code }) => code === 'LINE_REJECTED'))
    .map(({ plate }) => plate);
}

const rejectedSession = (plate: string) =>
  send(mover, 'sessions', session(plate, plate, { area_code: 'NONE' }));
const rejectedTitle = (...plates: string[]) =>
  send(mover, 'subscriptions', subscription('N', plates, { type: 'NONE' }));

describe('A move takes along what rejected lines have named', () => {
  it('each plate, of sessions and of subscriptions', async () => {
    await rejectedSession('BEFORE1');
    await rejectedTitle('BEFORE2');
    const { body } = await moveOf(service, CODE, 'DB_3');
    expect(body.state).toBe('done');
    expect(await doubtful('BEFORE1', 'BEFORE2', 'OTHER')).toEqual(['BEFORE1', 'BEFORE2']);
    const left = await env.SECOND.prepare(
      'select (select count(*) from rejected_plates) + (select count(*) from rejected_subscription_plates) as rows',
    ).first('rows');
    expect(left).toBe(0);
  });

  it('also one that came once its writes went on, before the city was switched over', async () => {
    const late = holding(sends('pointOn'));
    const call = moveOf(late.service, CODE, 'DB_2');
    await late.reached;
    // The stop is over. A rejected title is no change, by which the switch would know of it.
    await env.THIRD.exec('update municipalities set writes_stopped_until = 1');
    await rejectedTitle('LATE1');
    late.release();
    expect((await call).status).toBe(200);
    await moveThere(service, CODE, 'DB_2');
    expect(await doubtful('LATE1')).toEqual(['LATE1']);
    await moveThere(service, CODE, 'DB_3');
  });

  it('and how many could not be told by a plate', async () => {
    for (let sent = 0; sent < 101; sent += 1)
      await send(mover, 'subscriptions', { subscription_number: 'N' });
    expect(await doubtful('OTHER')).toEqual(['OTHER']);
    await moveWhole(service, CODE, 'DB_2');
    expect(await doubtful('OTHER')).toEqual(['OTHER']);
    await env.SECOND.exec('delete from rejected_lines');
    expect(await doubtful('OTHER')).toEqual([]);
  });

  it('or doubts every plate, where there are too many for the time in which nothing may be written', async () => {
    await env.SECOND.prepare(
      `insert into rejected_subscription_plates (municipality_id, digest, at, opens_line)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < 10001)
       select ${idOf(CODE)}, 'digest' || i, ?1, 1 from n`,
    )
      .bind(Date.now())
      .run();
    expect(await doubtful('OTHER')).toEqual([]);
    await moveWhole(service, CODE, 'DB_3');
    expect(await doubtful('OTHER')).toEqual(['OTHER']);
  });
});
