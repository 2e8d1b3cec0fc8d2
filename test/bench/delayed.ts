import type { Env } from '../../src/env.ts';
import service from '../../src/worker.ts';
import { databaseDouble, objectsDouble, snapshotsDouble, writesCallLog } from '../support/doubles.ts';
import { DELAY_HEADER, type Distances, TIMES_HEADER, type Times } from './distances.ts';

/** A delay is longer or shorter than its distance by up to this share of it. */
const SPREAD = 0.2;

interface Timed {
  readonly binding: 'object' | 'read' | 'insert' | 'kv';
  readonly ms: number;
}

/** The calls of bindings that ended since the call began. One call at a time: the bench sends no two to one Worker. */
let timed: Timed[] = [];
let distances: Distances = { object: 0, database: 0, kv: 0 };

async function delayed<T>(binding: Timed['binding'], distanceMs: number, run: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  await scheduler.wait(distanceMs * (1 + SPREAD * (2 * Math.random() - 1)));
  const result = await run();
  timed.push({ binding, ms: performance.now() - startedAt });
  return result;
}

const far: Parameters<typeof databaseDouble>[0] = {
  around: (run, sql) => delayed(writesCallLog(sql) ? 'insert' : 'read', distances.database, run),
};
const bindings = {
  DB: databaseDouble(far),
  CREDENTIALS: objectsDouble((run) => delayed('object', distances.object, run)),
  SNAPSHOTS: snapshotsDouble((run) => delayed('kv', distances.kv, run)),
};

/** The service, whose bindings are as far away as the call says. It tells how long each of them took, and the whole. */
export default {
  async fetch(request, env, execution) {
    // The bench sends it with every call.
    distances = JSON.parse(request.headers.get(DELAY_HEADER) ?? '') as Distances;
    timed = [];
    const startedAt = performance.now();
    const response = await service.fetch(request, { ...env, ...bindings }, execution);
    const times: Times = {
      totalMs: performance.now() - startedAt,
      objectMs: slowest('object'),
      readMs: slowest('read'),
      insertMs: slowest('insert'),
      kvMs: slowest('kv'),
    };
    const answer = new Response(response.body, response);
    answer.headers.set(TIMES_HEADER, JSON.stringify(times));
    return answer;
  },
} satisfies ExportedHandler<Env>;

/** A binding that was not called took no time. */
const slowest = (of: Timed['binding']): number =>
  Math.max(0, ...timed.map(({ binding, ms }) => (binding === of ? ms : 0)));
