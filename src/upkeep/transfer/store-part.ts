import { pauseAfter } from '../../base/platform/pause.ts';
import type { Env } from '../../env.ts';
import { databasesOf, getDatabase } from '../../storage/databases/bindings.ts';
import { splitOutcomes } from '../../storage/databases/side-by-side.ts';
import { areas, sources } from '../../storage/db/schema/index.ts';
import type { Numbers, RestoreProgress } from '../../storage/db/schema/moves.ts';
import { cleanUpUntil } from './clean-table.ts';
import { requireTurn } from './move-parts.ts';
import { storeRows } from './moves-table.ts';
import { MAX_BYTES, type Rows } from './part-table.ts';
import { readOwnNumbers, takenNumbers } from './restore-table.ts';
import { itemOf, rowOf, type SentBackup, type SentRow } from './sent-part.ts';

/** Rows of one transaction, which takes some milliseconds in which the database answers nobody else. */
const ROWS_AT_ONCE = 500;
/** Of the time that a transaction has taken. */
const PAUSE_FACTOR = 2;
/** So long into a call, in milliseconds, it pauses no more: a part has to be stored before its call's time is up. */
const PAUSING_MS = 15_000;

/**
 * Stores the rest of a part. Each transaction records how far it has come, so that a part that was cut off continues there.
 */
export async function storePart(
  env: Env,
  db: D1Database,
  id: number,
  turn: string,
  sent: SentBackup,
  before: RestoreProgress,
): Promise<RestoreProgress> {
  const { header, end, digest } = sent;
  if (header.part === 1 && before.part === null) {
    // Up to its most steps: what is left then, another call must continue.
    if (!(await cleanUpUntil(Infinity, db, id, requireTurn(id, turn)))) {
      throw new Error('an old copy is being deleted: send the part again');
    }
  }
  let progress: RestoreProgress = { ...before, part: before.part ?? { digest, rows: 0 } };
  let batch: SentRow[] = [];
  let characters = 0;
  const begunAtMs = performance.now();
  const store = async (): Promise<void> => {
    const startedAtMs = performance.now();
    const rows = (progress.part?.rows ?? 0) + batch.length;
    const numbers = await numbersOf(env, db, id, batch, progress.numbers);
    progress = { ...progress, numbers, part: { digest, rows }, restored: progress.restored + batch.length };
    await storeRows(db, id, turn, groupByKind(batch, numbers), { restore: progress });
    batch = [];
    characters = 0;
    if (performance.now() - begunAtMs < PAUSING_MS) {
      await pauseAfter(startedAtMs, PAUSE_FACTOR);
    }
  };
  for (const [index, line] of sent.rows.entries()) {
    if (index < (before.part?.rows ?? 0)) {
      continue;
    }
    batch.push(rowOf(line, index + 2, header));
    characters += line.length;
    if (characters > MAX_BYTES || batch.length === ROWS_AT_ONCE) {
      await store();
    }
  }
  if (batch.length > 0) {
    await store();
  }
  const after: RestoreProgress = {
    ...progress,
    parts: header.part,
    after: end.after,
    isWhole: !end.more,
    part: null,
  };
  await storeRows(db, id, turn, [], { restore: after });
  return after;
}

/** Neighbouring rows of one kind together: rows follow those that they refer to. */
function groupByKind(batch: readonly SentRow[], numbers: RestoreProgress['numbers']): Rows[] {
  const groups: { kind: Rows['kind']; items: string[] }[] = [];
  for (const row of batch) {
    renumber(row, numbers);
    if (groups.at(-1)?.kind !== row.kind) {
      groups.push({ kind: row.kind, items: [] });
    }
    groups.at(-1)?.items.push(itemOf(row));
  }
  return groups;
}

/** Replaces the numbers of areas and sources that other municipalities have. All else names them by their codes. */
function renumber({ kind, values }: SentRow, numbers: RestoreProgress['numbers']): void {
  if (kind === 'area' || kind === 'source') {
    const old = values.get('id');
    values.set('id', numbers[`${kind}s`][String(old)] ?? old);
  }
  const record = kind === 'configuration_version' ? values.get('record') : undefined;
  if (typeof record === 'string') {
    values.set('record', renumberRecord(record, numbers));
  }
}

/** A recorded configuration names its areas and sources by code and number. */
function renumberRecord(json: string, numbers: RestoreProgress['numbers']): string {
  const record = JSON.parse(json) as Record<string, unknown>;
  for (const name of ['areas', 'sources'] as const) {
    const list = record[name];
    if (Array.isArray(list)) {
      record[name] = list.map((item: { readonly id?: number }) => ({
        ...item,
        id: numbers[name][String(item.id)] ?? item.id,
      }));
    }
  }
  return JSON.stringify(record);
}

/** Areas and sources keep their numbers where these are free in all databases. */
async function numbersOf(
  env: Env,
  db: D1Database,
  id: number,
  batch: readonly SentRow[],
  known: RestoreProgress['numbers'],
): Promise<RestoreProgress['numbers']> {
  const ofKind = (kind: 'area' | 'source') => batch.filter((row) => row.kind === kind);
  const [newAreas, newSources] = await Promise.all([
    newNumbers(env, db, areas, id, ofKind('area'), known.areas),
    newNumbers(env, db, sources, id, ofKind('source'), known.sources),
  ]);
  return { areas: { ...known.areas, ...newAreas }, sources: { ...known.sources, ...newSources } };
}

async function newNumbers(
  env: Env,
  db: D1Database,
  table: typeof areas | typeof sources,
  id: number,
  rows: readonly SentRow[],
  known: Numbers,
): Promise<Numbers> {
  const unknown = rows.filter(({ values }) => known[String(values.get('id'))] === undefined);
  if (unknown.length === 0) {
    return {};
  }
  const numbers = unknown.map(({ values }) => Number(values.get('id')));
  const databases = databasesOf(env).map(({ name }) => getDatabase(env, name));
  const outcomes = await Promise.allSettled(databases.map((each) => takenNumbers(each, table, id, numbers)));
  const taken = new Set(splitOutcomes(outcomes).values.flatMap((numbers) => [...numbers]));
  const own = await readOwnNumbers(db, table, id);
  return Object.fromEntries(
    unknown.flatMap(({ values }) => {
      const number = Number(values.get('id'));
      const standing = own.get(String(values.get('code')));
      const another = standing ?? (taken.has(number) ? newNumber() : number);
      return another === number ? [] : [[String(number), another]];
    }),
  );
}

/** As the configuration gives them: from 1 to the greatest that a number in JSON holds exactly. */
function newNumber(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high & 0x1f_ffff) * 2 ** 32 + low || 1;
}
