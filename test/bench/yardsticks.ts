import { DurableObject } from 'cloudflare:workers';
import { instant } from '../../src/domain/instant.ts';
import { newRequestId } from '../../src/pipeline/request-id.ts';

/** What the yardsticks use of the runtime: the service's own database and snapshots, and an object of their own. */
interface Env {
  readonly DB: D1Database;
  readonly SNAPSHOTS: KVNamespace;
  readonly COUNTERS: DurableObjectNamespace<Counter>;
}

/** One storage write a call: the least that a budget costs which survives an eviction. */
export class Counter extends DurableObject<Env> {
  #count = 0;

  spend(): number {
    this.#count += 1;
    this.ctx.storage.kv.put('count', this.#count);
    return this.#count;
  }
}

/** The rows that a plate check rests on, each read by a plain statement. */
const CHECK_READS = [
  'select * from municipalities where code = ?1',
  'select * from areas where municipality_id = ?1 and code = ?2',
  'select * from parking_sessions where municipality_id = ?1 and plate = ?2 and runs_until > ?3 and starts_at <= ?4',
  `select b.*, l.valid_from, l.valid_until from subscription_plates l join subscriptions b on b.id = l.subscription_id
   where l.municipality_id = ?1 and l.plate = ?2`,
];

/** The rows that an options query rests on. */
const OPTIONS_READS = [
  'select * from municipalities where code = ?1',
  `select b.*, l.valid_from, l.valid_until from subscription_plates l join subscriptions b on b.id = l.subscription_id
   where l.municipality_id = ?1 and l.plate = ?2`,
  `select p.* from subscription_plates l join subscription_periods p on p.subscription_id = l.subscription_id
   where l.municipality_id = ?1 and l.plate = ?2`,
  `select y.* from subscription_plates l join subscriptions b on b.id = l.subscription_id
   join subscription_types y on y.id = b.type_id where l.municipality_id = ?1 and l.plate = ?2`,
  'select * from plans where municipality_id = ?1',
];

/** A call as it is logged whole. */
const LOG_CALL = `insert into calls
  (id, at, operation, credential_id, tenant, municipality_code, http_status, outcome, duration_ms, request, response)
  values (unhex(?1, '-'), ?2, 'subscription_options', 'yardstick', 'acme', 'H501', 200, 'OK', 1, ?3, ?4)`;

const DAY_MS = 86_400_000;

interface Asked {
  readonly plate: string;
}

type Read = (env: Env, asked: Asked) => Promise<unknown>;

const checkReads: Read = ({ DB }, { plate }) => {
  const now = Date.now();
  return readAll(DB, CHECK_READS, [['H501'], [1, 'P1'], [1, plate, now - DAY_MS, now + DAY_MS], [1, plate]]);
};

const optionsReads: Read = ({ DB }, { plate }) =>
  readAll(DB, OPTIONS_READS, [['H501'], [1, plate], [1, plate], [1, plate], [1]]);

async function readAll(
  db: D1Database,
  statements: readonly string[],
  values: readonly (readonly unknown[])[],
): Promise<unknown> {
  const results = await db.batch(
    statements.map((sql, index) => db.prepare(sql).bind(...(values[index] ?? []))),
  );
  return results.map((result) => result.results);
}

const spend = ({ COUNTERS }: Env): Promise<number> => COUNTERS.getByName('one').spend();

type Route = (env: Env, request: Request) => Promise<Response>;

const besideAWrite =
  (read: Read): Route =>
  async (env, request) =>
    Response.json(await Promise.all([read(env, await request.json<Asked>()), spend(env)]));

const besideAWriteThenInserted =
  (read: Read): Route =>
  async (env, request) => {
    const text = await request.text();
    // The bench sends no other body.
    const found = await Promise.all([read(env, JSON.parse(text) as Asked), spend(env)]);
    await env.DB.prepare(LOG_CALL)
      .bind(newRequestId(instant(Date.now())), Date.now(), text, JSON.stringify(found))
      .run();
    return Response.json(found);
  };

/** The routes: no framework, nothing checked, on the same runtime and the same data as the service. */
const ROUTES: Readonly<Record<string, Route>> = {
  '/constant': async () => Response.json({ ok: true }),
  '/check': besideAWrite(checkReads),
  '/options': besideAWriteThenInserted(optionsReads),
  '/value-and-write': async (env) => {
    const [value] = await Promise.all([env.SNAPSHOTS.get('yardstick'), spend(env)]);
    return new Response(value, { headers: { 'Content-Type': 'application/json' } });
  },
  '/value': async (env) => {
    const value = await env.SNAPSHOTS.get('public-yardstick');
    return new Response(value, { headers: { 'Content-Type': 'application/json' } });
  },
};

export default {
  async fetch(request, env) {
    const route = ROUTES[new URL(request.url).pathname];
    return route === undefined ? new Response(null, { status: 404 }) : route(env, request);
  },
} satisfies ExportedHandler<Env>;
