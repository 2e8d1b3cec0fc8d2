import { DurableObject } from 'cloudflare:workers';
import { instant } from '../../src/domain/instant.ts';
import { newRequestId } from '../../src/serving/middleware/begin.ts';

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
  `select p.* from subscription_plates l join payments p on p.subscription_id = l.subscription_id and p.starts_at is not null
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

/** What an import of sessions cannot do without: the change, and the sessions. The database keeps what they replace. */
const RECORD_CHANGE = `insert into changes (municipality_id, recorded_at, request_id)
  select 1, max(?1, coalesce((select max(recorded_at) from changes where municipality_id = 1), 0) + 1), unhex(?2, '-')`;
const STORE_SESSIONS = `insert into parking_sessions
  (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, recorded_at)
  select 1, 'app', line.value ->> 0, line.value ->> 1, line.value ->> 2, line.value ->> 3, line.value ->> 4,
    (select max(recorded_at) from changes where municipality_id = 1)
  from json_each(?1) as line where true
  on conflict (municipality_id, source_code, session_id) do update set
    ends_at = excluded.ends_at, recorded_at = excluded.recorded_at
  where excluded.ends_at is not parking_sessions.ends_at`;
const LINES_AT_ONCE = 500;

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

const encoder = new TextEncoder();
const SIGNED_AT_ONCE = 500;

/** Makes the HMACs of a list of so many sessions, and nothing else: of the right of each, and of its plate. */
async function signList(sessions: number): Promise<void> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', new Uint8Array(32), algorithm, false, ['sign']);
  for (let from = 0; from < sessions; from += SIGNED_AT_ONCE) {
    const texts = Array.from({ length: SIGNED_AT_ONCE }, (_, index) => [
      JSON.stringify(['session', 1, 'app', `session-${String(from + index).padStart(8, '0')}`]),
      `X${from + index}`,
    ]);
    await Promise.all(texts.flat().map((text) => crypto.subtle.sign('HMAC', key, encoder.encode(text))));
  }
}

/** A line of an import, of which nothing is checked. */
interface Line {
  readonly session_id: string;
  readonly plate: string;
  readonly area_code: string;
  readonly starts_at: string;
  readonly ends_at: string;
}

/** Stores a file's lines, and nothing else. */
async function importLines({ DB }: Env, file: string): Promise<void> {
  const { results } = await DB.prepare('select code, id from areas where municipality_id = 1').all<{
    readonly code: string;
    readonly id: number;
  }>();
  const areas = new Map(results.map(({ code, id }) => [code, id]));
  const lines = file.split('\n');
  for (let from = 0; from < lines.length; from += LINES_AT_ONCE) {
    const rows = lines.slice(from, from + LINES_AT_ONCE).map((text) => {
      // The bench sends no other lines.
      const { session_id, plate, area_code, starts_at, ends_at } = JSON.parse(text) as Line;
      return [session_id, areas.get(area_code), plate, Date.parse(starts_at), Date.parse(ends_at)];
    });
    const now = Date.now();
    await DB.batch([
      DB.prepare(RECORD_CHANGE).bind(now, newRequestId(instant(now))),
      DB.prepare(STORE_SESSIONS).bind(JSON.stringify(rows)),
    ]);
  }
}

/** What a call with a made-up token is answered, but for its own id. */
const REFUSED = JSON.stringify({
  success: false,
  ok: false,
  request_id: '019eb2ff-0000-7000-8000-000000000000',
  error: { code: 'TOKEN_INVALID', message: 'The credential is not valid.' },
});
const REFUSED_HEADERS = {
  'X-Request-Id': '019eb2ff-0000-7000-8000-000000000000',
  'X-Service-Version': 'undeployed',
  'Cache-Control': 'no-store, private',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=63072000',
  'WWW-Authenticate': 'Bearer realm="parking-entitlements", error="invalid_token"',
  'Content-Language': 'en',
  'Content-Type': 'application/json',
};

/** The routes: no framework, nothing checked, on the same runtime and the same data as the service. */
const ROUTES: Readonly<Record<string, Route>> = {
  '/hmacs': async (_, request) => {
    const { sessions } = await request.json<{ sessions: number }>();
    await signList(sessions);
    return Response.json({ sessions });
  },
  '/import': async (env, request) => {
    await importLines(env, await request.text());
    return Response.json({});
  },
  '/refused': async () => new Response(REFUSED, { status: 401, headers: REFUSED_HEADERS }),
  '/check': besideAWrite(checkReads),
  '/options': besideAWriteThenInserted(optionsReads),
  '/value-and-write': async (env) => {
    const [value] = await Promise.all([env.SNAPSHOTS.get('yardstick'), spend(env)]);
    return new Response(value, { headers: { 'Content-Type': 'application/json' } });
  },
};

export default {
  async fetch(request, env) {
    const route = ROUTES[new URL(request.url).pathname];
    return route === undefined ? new Response(null, { status: 404 }) : route(env, request);
  },
} satisfies ExportedHandler<Env>;
