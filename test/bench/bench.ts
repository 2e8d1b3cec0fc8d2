// Measures the plate check beside yardsticks, on one bundle under Miniflare, interleaved. It reports; it does not judge.
import { globSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import autocannon from 'autocannon';
import { build } from 'esbuild';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';

const ROUNDS = 5;
const SECONDS = 4;
const CONNECTIONS = 16;
const SESSIONS = 100_000;
const ADMIN_TOKEN = 'admin-token-of-the-bench';

const root = new URL('../..', import.meta.url).pathname;

const bundle = async (entry: string) => {
  const { outputFiles } = await build({
    entryPoints: [root + entry],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    external: ['cloudflare:*'],
    conditions: ['workerd', 'worker', 'browser'],
  });
  return outputFiles[0]?.text ?? '';
};

const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    modules: true,
    script: await bundle('test/bench/worker.ts'),
    compatibilityDate: '2026-10-20',
    d1Databases: ['DB'],
    kvNamespaces: ['SNAPSHOTS'],
    durableObjects: { CREDENTIALS: { className: 'CredentialObject', useSQLite: true } },
    bindings: { ADMIN_TOKEN, TOKEN_KEY: 'token-key-of-the-bench' },
    // The structured log is written as in production, and thrown away.
    handleStructuredLogs: () => {},
    log: new Log(LogLevel.ERROR),
  }),
);

try {
  const address = (await miniflare.ready).origin;
  const token = await prepare(address);
  const check = (body: object) => ({
    url: `${address}/api/v2/parking-entitlements/search`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const entry = { area_code: 'P1', event: 'entry' };
  const subjects: Record<string, { url: string; headers: Record<string, string>; body: string }> = {
    'bare Hono route': { url: `${address}/bench/hono`, headers: {}, body: '{}' },
    'one D1 batch of the reads': { url: `${address}/bench/d1-batch`, headers: {}, body: '{"plate":"X500"}' },
    'plate check, granted': check({ plate: 'X500', ...entry }),
    'plate check, refused': check({ plate: 'NOBODY', ...entry }),
    '401 for a made-up token': {
      ...check({}),
      headers: { authorization: 'Bearer pev_at_made_up', 'content-type': 'application/json' },
    },
  };

  const rates: Record<string, number[]> = {};
  const tails: Record<string, number[]> = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, subject] of Object.entries(subjects)) {
      const result = await autocannon({
        ...subject,
        method: 'POST',
        connections: CONNECTIONS,
        duration: SECONDS,
      });
      rates[name] = [...(rates[name] ?? []), result.requests.average];
      tails[name] = [...(tails[name] ?? []), result.latency.p99];
    }
  }

  const yardstick = median(rates['one D1 batch of the reads'] ?? []);
  console.table(
    Object.fromEntries(
      Object.entries(rates).map(([name, values]) => [
        name,
        {
          'requests/s (median)': Math.round(median(values)),
          lowest: Math.round(Math.min(...values)),
          highest: Math.round(Math.max(...values)),
          'p99 ms': median(tails[name] ?? []),
          '× D1 batch': Number((median(values) / yardstick).toFixed(2)),
        },
      ]),
    ),
  );
  const size = gzipSync(await bundle('src/worker.ts')).byteLength / 1024;
  console.log(`bundle: ${size.toFixed(0)} KiB gzip`);
} finally {
  await miniflare.dispose();
}

/** A city with many sessions, through the database; a credential, through the administration. */
async function prepare(address: string): Promise<string> {
  const db = await miniflare.getD1Database('DB');
  for (const file of globSync(`${root}migrations/*.sql`).sort()) {
    const statements = readFileSync(file, 'utf8').split('--> statement-breakpoint');
    await db.batch(statements.map((sql) => db.prepare(sql)));
  }
  await administrate(address, 'PUT', 'configuration', {
    tenants: [{ code: 'acme', name: 'Acme' }],
    municipalities: [
      {
        code: 'H501',
        name: 'Roma',
        timezone: 'Europe/Rome',
        tenant: 'acme',
        areas: [{ code: 'P1', name: 'Centro', area_type: 'facility', capacity: 300 }],
        sources: [{ code: 'app', name: 'App', category: 'app' }],
      },
    ],
  });
  await db
    .prepare(
      `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
       select 1, 'app', 's' || i, 1, 'X' || i, ?2, ?2 + 7200000 from n`,
    )
    .bind(SESSIONS, Date.now() - 3_600_000)
    .run();
  const issued = await administrate(address, 'POST', 'credentials', {
    tenant: 'acme',
    name: 'bench',
    scopes: ['plate_check'],
    municipalities: ['H501'],
    // As many as a budget can have: a run stays below it.
    rate_limit: { limit: 10_000, window_seconds: 1 },
  });
  return String(issued.access_token);
}

async function administrate(address: string, method: string, what: string, body: object) {
  const response = await fetch(`${address}/api/v2/admin/${what}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!response.ok) {
    throw new Error(`${method} ${what}: ${JSON.stringify(answer)}`);
  }
  return answer;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
