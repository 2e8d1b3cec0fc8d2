import { Hono } from 'hono';
import type { Env } from '../../src/env.ts';
import service from '../../src/worker.ts';

export { CredentialObject } from '../../src/worker.ts';

/** The same reads as a plate check, as the raw statements that a plain service would send in one batch. */
const READS = [
  'select * from tenants where id = ?1',
  'select * from municipalities where code = ?1',
  'select * from areas where municipality_id = ?1 and code = ?2',
  'select * from parking_sessions where municipality_id = ?1 and plate = ?2 and runs_until > ?3',
  'select b.* from subscription_plates l join subscriptions b on b.id = l.subscription_id where l.municipality_id = ?1 and l.plate = ?2',
];

/** What the service is measured beside: nothing of its own, on the same runtime and in the same bundle. */
const yardsticks = new Hono<{ Bindings: Env }>()
  .post('/bench/hono', (c) => c.json({ ok: true }))
  .post('/bench/d1-batch', async (c) => {
    const { plate } = await c.req.json<{ plate: string }>();
    const [tenant, municipality, area, sessions, subscriptions] = READS.map((sql) => c.env.DB.prepare(sql));
    const results = await c.env.DB.batch(
      [
        tenant?.bind(1),
        municipality?.bind('H501'),
        area?.bind(1, 'P1'),
        sessions?.bind(1, plate, Date.now() - 86_400_000),
        subscriptions?.bind(1, plate),
      ].filter((statement) => statement !== undefined),
    );
    return c.json(results.map((result) => result.results));
  });

export default {
  fetch: (request, env, execution) =>
    new URL(request.url).pathname.startsWith('/bench/')
      ? yardsticks.fetch(request, env, execution)
      : service.fetch(request, env, execution),
} satisfies ExportedHandler<Env>;
