import { DurableObject } from 'cloudflare:workers';
import { instant } from '../../src/domain/instant.ts';
import { storedPlate } from '../../src/domain/plate.ts';
import { readPlateFacts } from '../../src/entitlement/facts.ts';
import { newRequestId } from '../../src/pipeline/request-id.ts';
import { readOptionsFacts } from '../../src/subscription-options/facts.ts';
import { type Recorded, recorded } from './recorded.ts';
import { CHECK_READS, LOG_CALL, OPTIONS_READS, RUNNING, STORE_SESSIONS } from './yardstick-statements.ts';

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

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LINES_PER_INSERT = 1_000;
const MUNICIPALITIES_PER_READ = 25;

interface Asked {
  readonly plate: string;
}

interface SessionLine {
  readonly session_id: string;
  readonly plate: string;
  readonly starts_at: string;
  readonly ends_at: string;
}

type Read = (env: Env, asked: Asked) => Promise<unknown>;

const checkReads: Read = ({ DB }, { plate }) => {
  const now = Date.now();
  return readAll(DB, CHECK_READS, [['H501'], [1, 'P1'], [1, plate, now - DAY_MS, now + DAY_MS], [1, plate]]);
};

const optionsReads: Read = ({ DB }, { plate }) =>
  readAll(DB, OPTIONS_READS, [['H501'], [1, plate], [1, plate], [1, plate], [1]]);

const search = { by: 'code', code: 'H501' } as const;

/** The service's own statement, sent as any other: its text is recorded once a plate. */
const checkStatement: Read = ownStatement((db, plate) =>
  readPlateFacts(db, search, {
    plate: storedPlate(plate),
    areaCode: 'P1',
    at: instant(Date.now()),
    withSubscriptions: true,
  }),
);

const optionsStatement: Read = ownStatement((db, plate) =>
  readOptionsFacts(db, search, storedPlate(plate), instant(Date.now())),
);

function ownStatement(read: (db: D1DatabaseSession, plate: string) => Promise<unknown>): Read {
  const statements = new Map<string, Recorded>();
  return async ({ DB }, { plate }) => {
    const statement = statements.get(plate) ?? (await recorded((db) => read(db, plate)));
    statements.set(plate, statement);
    return readAll(DB, [statement.sql], [statement.values]);
  };
}

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

async function storeLines({ DB }: Env, request: Request): Promise<Response> {
  const rows = (await request.text()).split('\n').map((line) => {
    const session = JSON.parse(line) as SessionLine;
    return [session.session_id, session.plate, Date.parse(session.starts_at), Date.parse(session.ends_at)];
  });
  for (let from = 0; from < rows.length; from += LINES_PER_INSERT) {
    const some = rows.slice(from, from + LINES_PER_INSERT);
    await DB.prepare(STORE_SESSIONS).bind(JSON.stringify(some)).run();
  }
  return Response.json({ created: rows.length });
}

async function readRunning({ DB }: Env, request: Request): Promise<Response> {
  const asked = await request.json<{ readonly municipalities: number }>();
  const now = Date.now();
  let running = 0;
  for (let from = 1; from <= asked.municipalities; from += MUNICIPALITIES_PER_READ) {
    const { results } = await DB.prepare(RUNNING)
      .bind(from, from + MUNICIPALITIES_PER_READ - 1, now, now + HOUR_MS)
      .all();
    running += results.length;
  }
  return Response.json({ running });
}

/** The routes: no framework, nothing checked, on the same runtime and the same data as the service. */
const ROUTES: Readonly<Record<string, Route>> = {
  '/constant': async () => Response.json({ ok: true }),
  '/check-reads-and-write': besideAWrite(checkReads),
  '/check-statement-and-write': besideAWrite(checkStatement),
  '/options-reads-write-and-insert': besideAWriteThenInserted(optionsReads),
  '/options-statement-write-and-insert': besideAWriteThenInserted(optionsStatement),
  '/value-and-write': async (env) => {
    const [value] = await Promise.all([env.SNAPSHOTS.get('yardstick'), spend(env)]);
    return new Response(value, { headers: { 'Content-Type': 'application/json' } });
  },
  '/value': async (env) => {
    const value = await env.SNAPSHOTS.get('public-yardstick');
    return new Response(value, { headers: { 'Content-Type': 'application/json' } });
  },
  '/store-lines': storeLines,
  '/read-running': readRunning,
};

export default {
  async fetch(request, env) {
    const route = ROUTES[new URL(request.url).pathname];
    return route === undefined ? new Response(null, { status: 404 }) : route(env, request);
  },
} satisfies ExportedHandler<Env>;
