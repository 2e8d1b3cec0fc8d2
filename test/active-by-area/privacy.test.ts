import { env } from 'cloudflare:workers';
import { expect, it, vi } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { issueCredential } from '../support/credential.ts';
import { CITY, FACILITY, STREET, seed } from '../support/seed.ts';
import { runCron, Service } from '../support/service.ts';

const PATH = '/api/v2/parking/reports/active-by-area';
/** Long enough to stand in nothing else by chance. */
const PLATES = Array.from({ length: 50 }, (_, index) => `ZQ${String(index).padStart(3, '0')}WXK`);

it('No plate and no single session is in a report, in KV, or in the logs of either', async () => {
  const spies = (['log', 'info', 'warn', 'error'] as const).map((level) => vi.spyOn(console, level));
  const now = Date.now();
  await seed({
    ...CITY,
    areas: [STREET, FACILITY],
    parkingSessions: PLATES.map((plate, index) => ({
      municipalityId: 1,
      sourceCode: 'app1',
      sessionId: `operation-${plate}`,
      areaId: 1 + (index % 2),
      plate,
      startsAt: now - HOUR_MS,
      endsAt: now + HOUR_MS,
    })),
  });
  const { headers } = await issueCredential();
  const said: string[] = [];
  const report = async (body: object) => {
    const answer = await new Service().settle(PATH, { method: 'POST', body, headers });
    said.push(JSON.stringify([...answer.headers]), JSON.stringify(answer.body));
    return answer;
  };
  const requests = [{}, { area_type: 'facility' }, { source_id: 1 }, { source_id: 9 }, { plate: 'A' }];

  for (const body of requests) await report(body);
  await runCron('* * * * *');
  for (const body of requests) await report(body);
  // An area that cannot be read makes both fail, and both tell the log why.
  await env.DB.prepare(`update areas set paid_hours = 'no JSON'`).run();
  await expect(runCron('* * * * *')).rejects.toThrow();
  const { keys } = await env.SNAPSHOTS.list();
  // The snapshot, the directory of public municipalities, and when they were renewed.
  expect(keys.length).toBe(3);
  for (const { name } of keys) said.push(name, (await env.SNAPSHOTS.get(name)) ?? '');
  await Promise.all(keys.map(({ name }) => env.SNAPSHOTS.delete(name)));
  expect((await report({})).status).toBe(500);

  for (const spy of spies) said.push(...spy.mock.calls.flat().map(String));
  const { results } = await env.DB.prepare('select * from logged_calls').all();
  said.push(JSON.stringify(results));
  // Those that were refused, and the one that failed: an answered report has no row.
  expect(results.length).toBe(5);
  expect(said.join('\n')).toContain('"active_now":25');
  for (const plate of PLATES) expect(said.join('\n')).not.toContain(plate);
});
