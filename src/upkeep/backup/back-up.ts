import * as z from 'zod';
import { refuse } from '../../base/errors/refusal.ts';
import { UNKNOWN_MUNICIPALITY } from '../../serving/administration/fields.ts';
import type { CallFacts } from '../../serving/call.ts';
import { batch } from '../../storage/db/batch.ts';
import { KNOWN_SCHEMA } from '../../storage/db/schema-table.ts';
import { digestKeys, keyCheck } from '../../storage/plate-digest/plate-digest.ts';
import { MUNICIPALITY_BY_CODE, NAMES, NEWEST, READING, READING_BEGINNING, type Row } from './backup-table.ts';
import type { BackupHeader, PartEnd } from './contract.ts';
import { BEGINNING } from './stored-table.ts';

const number = z.coerce.number().pipe(z.int().min(0));

/** How far a backup has come between two parts: positions, and no key or plate of anybody, because backups are kept for long. */
const POSITION = z
  .tuple([z.uuid(), number, number, number, number, number, number, number, number, number])
  .transform(([backupId, municipalityId, parts, rows, begunAt, asOf, table, ...after]) => ({
    ...{ backupId, municipalityId, parts, rows, begunAt },
    /** The municipality's newest change when the backup began: it is read as of that. */
    asOf,
    /** The table that is read next, by its place in {@link READING}, and the numbers of the last row that was read of it. */
    ...{ table, after: [...after] },
  }));
type Position = z.infer<typeof POSITION>;

/** No row has these numbers or lower ones. */
const FIRST = [0, 0, 0];

/** The position in the interface's `after`; null if it has none. */
export const positionOf = (text: string): Position | null => POSITION.safeParse(text.split('.')).data ?? null;

function textOf({ backupId, municipalityId, parts, rows, begunAt, asOf, table, after }: Position): string {
  return [backupId, municipalityId, parts, rows, begunAt, asOf, table, ...after].join('.');
}

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
  const [[newest], ...read] = await batch(d1, [NEWEST, ...READING_BEGINNING], { municipalityId });
  return {
    text: BEGINNING.map(({ kind }, index) => linesOf(kind, read[index] ?? [])).join(''),
    position: {
      ...{ backupId: crypto.randomUUID(), municipalityId, parts: 0, rows: read.flat().length },
      ...{ begunAt, asOf: newest?.asOf ?? 0, table: 0, after: FIRST },
    },
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

/** @throws Refusal `CURSOR_GONE` if rows may refer to a key that an earlier part has as it was before an erasure */
async function readStep(d1: D1Database, code: string, position: Position): Promise<Step> {
  const { table, after, asOf } = position;
  const stored = READING[table];
  if (stored === undefined) throw new Error(`there is no table ${table}`);
  const values = { ...position, code, after: JSON.stringify(after) };
  const [rows, [municipality]] = await batch(d1, [stored.reading, MUNICIPALITY_BY_CODE], values);
  const text = linesOf(stored.kind, rows);
  if ((municipality?.pastSince ?? 0) > asOf && REPLACED_KEY.test(text)) {
    refuse('CURSOR_GONE', { message: ERASED });
  }
  const last = rows.length < stored.rows ? undefined : rows.at(-1);
  const next =
    last === undefined
      ? { table: table + 1, after: FIRST }
      : { after: [...JSON.parse(String(last.place)), ...FIRST].slice(0, 3) };
  return { text, position: { ...position, rows: position.rows + rows.length, ...next } };
}

const ERASED = {
  en: 'A plate was erased since the first part, and keys with it: delete the parts and start the backup again.',
  it: 'Dopo la prima parte è stata cancellata una targa con le sue chiavi: eliminare le parti e ricominciare la copia.',
};
