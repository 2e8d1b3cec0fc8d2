import { hex } from '../../base/crypto/digest.ts';
import { refuseFields } from '../../base/errors/refusal.ts';
import { pauseAfter } from '../../base/platform/pause.ts';
import type { Text } from '../../base/text/text.ts';
import type { Env } from '../../env.ts';
import { textOf } from '../../serving/http/body.ts';
import { databasesOf, getDatabase } from '../../storage/databases/bindings.ts';
import { splitOutcomes } from '../../storage/databases/side-by-side.ts';
import { areas, KNOWN_SCHEMA, sources } from '../../storage/db/schema/index.ts';
import type { Numbers, RestoreProgress } from '../../storage/db/schema/moves.ts';
import { type BackupHeader, backupLine, backupRow, type PartEnd, partLine } from './contract.ts';
import { cleanUpUntil, requireTurn, storeRows } from './moves-table.ts';
import { KINDS, MAX_BYTES, type Rows } from './part-table.ts';
import { readOwnNumbers, takenNumbers } from './restore-table.ts';

/** A part of a backup as it was sent. Its rows are read one by one. */
export interface SentBackup {
  readonly header: BackupHeader;
  readonly end: PartEnd;
  readonly digest: string;
  readonly rows: readonly string[];
}

/** @throws Refusal `INVALID_JSON` for what is not UTF-8; `INVALID_REQUEST` for what is not a whole part */
export async function readPart(bytes: Uint8Array): Promise<SentBackup> {
  const lines = textOf(bytes).trimEnd().split('\n');
  const header = parsePart(lines[0], backupLine);
  const end = parsePart(lines.at(-1), partLine);
  if (header === null || end === null) {
    refuseFields([{ path: 'body', message: NO_PART }]);
  }
  if (header.schema > KNOWN_SCHEMA) {
    refuseFields([{ path: 'schema', message: TOO_NEW }]);
  }
  const digest = hex(await crypto.subtle.digest('SHA-256', bytes));
  return { header, end, digest, rows: lines.slice(1, -1) };
}

/** A row, by the names of its columns in this version. */
interface SentRow {
  readonly kind: string;
  readonly values: Map<string, unknown>;
}

/** @throws Refusal `INVALID_REQUEST` for a line that is not a row of a known kind */
function rowOf(line: string, number: number, { columns }: BackupHeader): SentRow {
  const row = parsePart(line, backupRow);
  const names = columns[row?.kind ?? ''];
  if (row === null || !KINDS.has(row.kind) || names?.length !== row.values.length) {
    refuseFields([{ path: `line ${number}`, message: NO_ROW }]);
  }
  return { kind: row.kind, values: new Map(names.map((name, index) => [name, row.values[index]])) };
}

/** A row as a JSON list, in this version's order. A column that the backup does not have gets its default. */
function itemOf({ kind, values }: SentRow): string {
  const { reads = {}, defaults = {} } = KINDS.get(kind) ?? {};
  return JSON.stringify(
    Object.keys(reads).map((name) => (values.has(name) ? values.get(name) : (defaults[name] ?? null))),
  );
}

function parsePart<T>(
  line: string | undefined,
  schema: { safeParse(value: unknown): { data?: T | undefined } },
): T | null {
  try {
    return schema.safeParse(JSON.parse(line ?? '')).data ?? null;
  } catch {
    return null;
  }
}

const NO_PART: Text = {
  en: 'this is not a whole part of a backup: one begins with a line of the type backup, and ends with one of the type part',
  it: 'non è una parte completa di una copia di sicurezza: la prima riga è di tipo backup, l’ultima di tipo part',
};
const TOO_NEW: Text = {
  en: 'a later version of the service has made this backup: deploy that version first',
  it: 'questa copia è stata creata da una versione successiva del servizio: installare prima quella',
};
const NO_ROW: Text = {
  en: 'is not a row of a backup',
  it: 'non è una riga di una copia di sicurezza',
};

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
