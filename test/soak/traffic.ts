// Mixed traffic on the production bundle for a while: no error, no wrong answer, flat memory, latencies that do not drift. In
// the second half a hostile tenant does what it is permitted to, and the others do not feel it.

import { takeNoArguments } from '../../tools/command-line.ts';
import { Cities } from '../bench/city.ts';
import { callerOf, post } from './callers.ts';
import { HostileTenant } from './hostile-tenant.ts';
import { Latencies, median } from './latencies.ts';

takeNoArguments(
  'npm run soak:traffic: mixed traffic, then next to a hostile tenant; SOAK_MINUTES says how long (10)',
);

const MINUTES = Number(process.env.SOAK_MINUTES ?? 10);
/** The run is judged by its parts: the first one warms up. */
const PARTS = 10;
/** So many parts are without the hostile tenant: the others are compared with them. */
const HALF = PARTS / 2;
const PART_MS = (MINUTES * 60_000) / PARTS;
const SESSIONS = 10_000;
const CONNECTIONS = 16;
const MEASURED_MS = 5_000;
const IMPORT_EVERY_MS = 5_000;
const IMPORTED_LINES = 500;
/** As often in a run as the minute's cron is in ten minutes, at least. */
const CRON_EVERY_MS = Math.min(60_000, PART_MS);
/** In shorter parts there are too few calls for a 99th percentile, and the runtime has not warmed up: errors alone count. */
const SHORTEST_JUDGED_MS = 30_000;
const MAX_DRIFT = 1.5;
const MAX_GROWTH = 1.25;
/** What a driver at a gate accepts, and how much slower than alone a busy machine may make the same calls. */
const P99_MS = 250;
const MAX_SLOWER = 4;

/**
 * The local runtime has one thread for the Worker, the objects and the database, which on the platform are different machines.
 * What a call waits that touches no storage, it waits for that thread alone: a check may wait so twice.
 */
const TURNS_OF_A_CHECK = 2;
/** One such call for each so many. */
const YARDSTICK_EVERY = 5;

interface Part {
  readonly latencies: Latencies;
  /** Of calls that touch no storage: what the runtime's thread alone makes a call wait. */
  readonly yardstick: Latencies;
  readonly memoryMiB: number[];
}

const errors: string[] = [];
const parts: Part[] = Array.from({ length: PARTS }, () => ({
  latencies: new Latencies(),
  yardstick: new Latencies(),
  memoryMiB: [],
}));

const cities = new Cities();
const { runtime, token } = await cities.of(SESSIONS);
const hostile = await HostileTenant.settle(runtime);
try {
  await runtime.cron('* * * * *');
  const perSecond = await measure();
  console.log(`${Math.round(perSecond)} mixed calls a second at most; ${MINUTES} min at half of that`);
  await run(perSecond / 2);
} finally {
  await cities.stop();
}
report();

/** Calls a second of so many connections, each with one call after the other. */
async function measure(): Promise<number> {
  let calls = 0;
  const end = performance.now() + MEASURED_MS;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() < end) {
        calls += 1;
        await call(calls);
      }
    }),
  );
  return (calls * 1000) / MEASURED_MS;
}

/** Calls at a steady pace, whatever the answers take: a slow answer does not thin the traffic out. */
async function run(perSecond: number): Promise<void> {
  const startedAt = performance.now();
  const endsAt = startedAt + MINUTES * 60_000;
  const partNow = () => parts[Math.min(PARTS - 1, Math.floor((performance.now() - startedAt) / PART_MS))];
  const isHostile = () => performance.now() - startedAt >= HALF * PART_MS;
  const beside = [
    hostile.attack(endsAt, isHostile),
    repeatedly(endsAt, IMPORT_EVERY_MS, (round) => importSessions(round)),
    repeatedly(endsAt, CRON_EVERY_MS, () => runtime.cron('* * * * *')),
    repeatedly(endsAt, 1_000, async () => {
      partNow()?.memoryMiB.push(runtime.memoryMiB());
    }),
  ];
  const running = new Set<Promise<void>>();
  const track = (timed: Promise<number>, latencies: Latencies | undefined): void => {
    const one = timed.then((milliseconds) => {
      latencies?.add(milliseconds);
      running.delete(one);
    });
    running.add(one);
  };
  for (let made = 0; performance.now() < endsAt; ) {
    const due = Math.floor(((performance.now() - startedAt) * perSecond) / 1000);
    for (; made < due; made += 1) {
      const part = partNow();
      track(call(made), part?.latencies);
      if (made % YARDSTICK_EVERY === 0) {
        track(askWithoutStorage(), part?.yardstick);
      }
    }
    await sleep(2);
  }
  await Promise.all([...running, ...beside]);
}

async function askWithoutStorage(): Promise<number> {
  const startedAt = performance.now();
  try {
    await (await fetch(`${runtime.service}/health`)).arrayBuffer();
  } catch (error) {
    errors.push(`health: ${String(error)}`);
  }
  return performance.now() - startedAt;
}

async function call(index: number): Promise<number> {
  const { name, path, body, isRight } = callerOf(index);
  const startedAt = performance.now();
  try {
    const { status, text } = await post(runtime.service + path, token, JSON.stringify(body(index)));
    if (status !== 200 || !isRight(index, JSON.parse(text))) {
      errors.push(`${name}: ${status} ${text.slice(0, 200)}`);
    }
  } catch (error) {
    errors.push(`${name}: ${String(error)}`);
  }
  return performance.now() - startedAt;
}

/** Each import brings new sessions, and extends those of the one before. */
async function importSessions(round: number): Promise<void> {
  const now = Date.now();
  const lines = Array.from({ length: IMPORTED_LINES }, (_, index) =>
    JSON.stringify({
      session_id: `soak-${round + Math.floor((index * 2) / IMPORTED_LINES)}-${index % (IMPORTED_LINES / 2)}`,
      plate: `S${index}`,
      area_code: 'S1',
      starts_at: new Date(now).toISOString(),
      ends_at: new Date(now + 3_600_000).toISOString(),
    }),
  );
  const url = `${runtime.service}/api/v2/imports/sessions?source_code=app`;
  const { status, text } = await post(url, token, lines.join('\n'), 'application/x-ndjson');
  if (status !== 200 || !text.includes('"rejected":0')) {
    errors.push(`import: ${status} ${text.slice(0, 200)}`);
  }
}

async function repeatedly(
  endsAt: number,
  everyMs: number,
  action: (round: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; performance.now() < endsAt; round += 1) {
    try {
      await action(round);
    } catch (error) {
      errors.push(String(error));
    }
    await sleep(Math.min(everyMs, Math.max(0, endsAt - performance.now())));
  }
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

/** Prints each part, and what is judged; fails the process where it does not hold. */
function report(): void {
  console.table(
    parts.map(({ latencies, yardstick, memoryMiB }) => ({
      calls: latencies.count,
      'p50 ms': Math.round(latencies.quantile(0.5) * 10) / 10,
      'p99 ms': Math.round(latencies.quantile(0.99) * 10) / 10,
      'p99 ms without storage': Math.round(yardstick.quantile(0.99) * 10) / 10,
      'memory MiB': Math.round(median(memoryMiB)),
    })),
  );
  const [, second] = parts;
  const last = parts[HALF - 1];
  if (second === undefined || last === undefined) {
    throw new Error('a run has more than one part');
  }
  const judged = PART_MS >= SHORTEST_JUDGED_MS;
  const bound = (most: number) => (judged ? `at most ${most}` : 'not judged in so short a run');
  const p99Of = (some: readonly Part[], of: 'latencies' | 'yardstick') =>
    some.reduce((all, part) => all.with(part[of]), new Latencies()).quantile(0.99);
  const [firstHalf, secondHalf] = [parts.slice(0, HALF), parts.slice(HALF)];
  const [alone, beside] = [p99Of(firstHalf, 'latencies'), p99Of(secondHalf, 'latencies')];
  const ofThread = TURNS_OF_A_CHECK * p99Of(secondHalf, 'yardstick');
  const mostBeside = Math.max(P99_MS, MAX_SLOWER * alone, ofThread);
  console.log('the hostile tenant’s calls, by status:', Object.fromEntries(hostile.statuses));
  console.log(
    `p99 beside the hostile tenant: ${beside.toFixed(1)} ms, alone ${alone.toFixed(1)} ms (${bound(Math.round(mostBeside))})`,
  );
  const drift = last.latencies.quantile(0.99) / second.latencies.quantile(0.99);
  const growth = median(last.memoryMiB) / median(second.memoryMiB);
  console.log(`errors: ${errors.length}`, ...errors.slice(0, 5));
  console.log(`p99, fifth part to second: ${drift.toFixed(2)} (${bound(MAX_DRIFT)})`);
  console.log(`memory, fifth part to second: ${growth.toFixed(2)} (${bound(MAX_GROWTH)})`);
  if (
    errors.length > 0 ||
    (judged && (!(beside <= mostBeside) || drift > MAX_DRIFT || growth > MAX_GROWTH))
  ) {
    process.exitCode = 1;
  }
}
