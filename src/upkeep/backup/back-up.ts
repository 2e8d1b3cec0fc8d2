import { refuse } from '../../base/errors/refusal.ts';
import { UNKNOWN_MUNICIPALITY } from '../../serving/administration/fields.ts';
import type { CallFacts } from '../../serving/call.ts';
import { batch } from '../../storage/db/batch.ts';
import { KNOWN_SCHEMA } from '../../storage/db/schema-table.ts';
import { digestKeys, keyCheck } from '../../storage/plate-digest/plate-digest.ts';
import { MUNICIPALITY_BY_CODE, NAMES, NEWEST, READING, type Row } from './backup-table.ts';
import type { BackupHeader, PartEnd } from './contract.ts';
import { BEGINNING } from './stored-table.ts';

/** The numbers of a position, in their order. */
const NUMBERS = ['municipalityId', 'parts', 'rows', 'begunAt', 'asOf', 'table', 'at', 'id'] as const;

/**
 * How far a backup has come between two parts, without a key or plate of anybody, because backups are kept for long. It is read as of
 * the municipality's newest change when it began. `table` of {@link READING} is read next, behind the row at `at` and `id`.
 */
type Position = { readonly backupId: string } & Readonly<Record<(typeof NUMBERS)[number], number>>;

const POSITION = /^[0-9a-f-]{36}(\.\d{1,16}){8}$/;

/** The position in the interface's `after`; null if it has none. */
export function positionOf(text: string): Position | null {
  const [backupId = '', ...numbers] = text.split('.');
  if (!POSITION.test(text)) return null;
  // A number for each of them.
  const named = NUMBERS.map((name, index) => [name, Number(numbers[index])]);
  return { backupId, ...(Object.fromEntries(named) as Omit<Position, 'backupId'>) };
}

const textOf = (position: Position): string =>
  [position.backupId, ...NUMBERS.map((name) => position[name])].join('.');

/** A part is read for this long, in milliseconds, unless it is full earlier. */
const PART_MS = 2_000;
/** A part of this size is full. The largest step is two configurations of a megabyte, as JSON in JSON. */
const FULL_BYTES = 4 * 1024 * 1024;

/**
 * Returns the next part of a municipality's backup, as lines. All parts show the municipality as it was when the first one was read.
 * Only erasures are the newest, and in the last part.
 *
 * @param after the `after` of the previous part; absent for the first part
 * @throws Refusal `NOT_FOUND`, also during a restore; `CURSOR_GONE`
 */
export async function readBackupPart(
  { env, now }: CallFacts,
  code: string,
  after: string | undefined,
): Promise<string> {
  const [[municipality]] = await batch(env.DB, [MUNICIPALITY_BY_CODE], { code });
  if (municipality === undefined || municipality.restoring !== null) {
    refuse('NOT_FOUND', { message: UNKNOWN_MUNICIPALITY });
  }
  const { id, tenant } = municipality;
  let step = after === undefined ? await begin(env.DB, id, now) : resume(after, id);
  const { backupId, parts, begunAt } = step.position;
  const texts = [step.text];
  const endsAtMs = performance.now() + PART_MS;
  let bytes = sizeOf(step.text);
  do {
    step = await readStep(env.DB, code, step.position);
    texts.push(step.text);
    bytes += sizeOf(step.text);
  } while (step.position.table < READING.length && bytes < FULL_BYTES && performance.now() < endsAtMs);

  const part = parts + 1;
  const header: BackupHeader = {
    ...{ type: 'backup', format: 1, schema: KNOWN_SCHEMA, backup_id: backupId, part },
    begun_at: new Date(begunAt).toISOString(),
    ...{ tenant, municipality_code: code },
    ...{ after: after ?? null, columns: NAMES, digest_keys: digestKeys(env).map(keyCheck) },
  };
  const end: PartEnd = {
    type: 'part',
    after: textOf({ ...step.position, parts: part }),
    more: step.position.table < READING.length,
  };
  return `${JSON.stringify(header)}\n${texts.join('')}${JSON.stringify(end)}\n`;
}

/** Some rows as lines, and the position after them. */
interface Step {
  readonly text: string;
  readonly position: Position;
}

const linesOf = (kind: string, rows: readonly Row[]): string =>
  rows
    .map((row) => JSON.stringify({ type: 'row', kind, values: NAMES[kind]?.map((name) => row[name]) }))
    .map((line) => `${line}\n`)
    .join('');

const sizeOf = (text: string): number => new TextEncoder().encode(text).byteLength;

async function begin(d1: D1Database, municipalityId: number, begunAt: number): Promise<Step> {
  const first = READING.slice(0, BEGINNING.length);
  const [[newest], ...read] = await batch(d1, [NEWEST, ...first.map(({ reading }) => reading)], {
    municipalityId,
  });
  const position = { backupId: crypto.randomUUID(), municipalityId, parts: 0, rows: read.flat().length };
  return {
    text: first.map(({ kind }, index) => linesOf(kind, read[index] ?? [])).join(''),
    position: { ...position, begunAt, asOf: newest?.asOf ?? 0, table: first.length, ...FIRST },
  };
}

/** @throws Refusal `CURSOR_GONE` for a text that is no position, that is another municipality's, or after which nothing is left */
function resume(after: string, municipalityId: number): Step {
  const position = positionOf(after);
  return position?.municipalityId === municipalityId && position.table < READING.length
    ? { text: '', position }
    : refuse('CURSOR_GONE');
}

/** A reference to a row whose key an erasure has replaced: JSON within JSON. */
const REPLACED_KEY = /\\"\*[0-9a-f]{64}\\"/;

/** No row has a place like this or before it. */
const FIRST = { at: 0, id: 0 };

/** @throws Refusal `CURSOR_GONE` if rows may refer to a key that an earlier part has as it was before an erasure */
async function readStep(d1: D1Database, code: string, position: Position): Promise<Step> {
  const { table, asOf } = position;
  const stored = READING[table];
  if (stored === undefined) throw new Error(`there is no table ${table}`);
  const [rows, [municipality]] = await batch(d1, [stored.reading, MUNICIPALITY_BY_CODE], {
    ...position,
    code,
  });
  const text = linesOf(stored.kind, rows);
  if ((municipality?.pastSince ?? 0) > asOf && REPLACED_KEY.test(text)) {
    refuse('CURSOR_GONE', { message: ERASED });
  }
  const last = rows.length === stored.rows ? rows.at(-1) : undefined;
  const next =
    last === undefined
      ? { table: table + 1, ...FIRST }
      : { at: Number(last.place_at), id: Number(last.place_id) };
  return { text, position: { ...position, rows: position.rows + rows.length, ...next } };
}

const ERASED = {
  en: 'A plate was erased since the first part, and keys with it: delete the parts and start the backup again.',
  it: 'Dopo la prima parte è stata cancellata una targa con le sue chiavi: eliminare le parti e ricominciare la copia.',
};
