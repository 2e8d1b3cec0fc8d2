import { refuse } from '../../base/errors/refusal.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { UNKNOWN_MUNICIPALITY } from '../../serving/administration/fields.ts';
import { batch } from '../../storage/db/batch.ts';
import { KNOWN_SCHEMA } from '../../storage/db/schema-table.ts';
import { digestKeys, keyCheck } from '../../storage/plate-digest/plate-digest.ts';
import { MUNICIPALITY, NAMES, type Row, STEPS } from './backup-table.ts';
import type { BackupHeader, PartEnd } from './contract.ts';

/** The numbers of a position, in their order. */
const NUMBERS = ['municipalityId', 'parts', 'rows', 'begunAt', 'asOf', 'step', 'at', 'id'] as const;

/**
 * How far a backup has come between two parts, without a key or plate of anybody, because backups are kept for long. It is read as of
 * the municipality's newest change when it began. Of {@link STEPS}, `step` is next, behind the row at `at` and `id`.
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

/** No row has a place like this or before it. */
const FIRST = { at: 0, id: 0 };

/** A part is read for this long, in milliseconds, unless it is full earlier. */
const PART_MS = 2_000;
/** A part of this size is full. The largest step is two configurations of a megabyte, as JSON in JSON. */
const FULL_BYTES = 4 * 1024 * 1024;

/**
 * Returns the next part of a municipality's backup, as lines. All parts show the municipality as it was when the first one was read.
 * Only erasures are the newest, and in the last part.
 *
 * @param after the `after` of the previous part; absent for the first part
 * @throws Refusal `NOT_FOUND`, also during a restore; `CURSOR_GONE` for a text that is no position, that is another municipality's, or
 *   after which nothing is left, and if rows may refer to a key that an earlier part has as it was before an erasure
 */
export async function readBackupPart(
  env: Env,
  now: Instant,
  code: string,
  after: string | undefined,
): Promise<string> {
  const [[municipality]] = await batch(env.DB, [MUNICIPALITY], { code });
  if (municipality === undefined || municipality.restoring !== null) {
    refuse('NOT_FOUND', { message: UNKNOWN_MUNICIPALITY });
  }
  const { id: municipalityId, tenant } = municipality;
  const beginning = {
    backupId: crypto.randomUUID(),
    municipalityId,
    parts: 0,
    rows: 0,
    begunAt: now,
    asOf: 0,
  };
  let position = after === undefined ? { ...beginning, step: 0, ...FIRST } : positionOf(after);
  if (position?.municipalityId !== municipalityId || position.step >= STEPS.length) refuse('CURSOR_GONE');
  const { backupId, parts, begunAt } = position;
  const texts: string[] = [];
  const endsAtMs = performance.now() + PART_MS;
  let bytes = 0;
  do {
    const step = await readStep(env.DB, code, position);
    position = step.position;
    texts.push(step.text);
    bytes += new TextEncoder().encode(step.text).byteLength;
  } while (position.step < STEPS.length && bytes < FULL_BYTES && performance.now() < endsAtMs);

  const part = parts + 1;
  const header: BackupHeader = {
    ...{ type: 'backup', format: 1, schema: KNOWN_SCHEMA, backup_id: backupId, part },
    begun_at: new Date(begunAt).toISOString(),
    ...{ tenant, municipality_code: code },
    ...{ after: after ?? null, columns: NAMES, digest_keys: digestKeys(env).map(keyCheck) },
  };
  const end: PartEnd = {
    type: 'part',
    after: textOf({ ...position, parts: part }),
    more: position.step < STEPS.length,
  };
  return `${JSON.stringify(header)}\n${texts.join('')}${JSON.stringify(end)}\n`;
}

/** A reference to a row whose key an erasure has replaced: JSON within JSON. */
const REPLACED_KEY = /\\"\*[0-9a-f]{64}\\"/;

/** Some rows as lines, and the position after them. */
async function readStep(d1: D1Database, code: string, position: Position) {
  const tables = STEPS[position.step] ?? [];
  const [[municipality], ...read] = await batch(d1, [MUNICIPALITY, ...tables.map(({ reading }) => reading)], {
    ...position,
    code,
  });
  const asOf = position.step === 0 ? (municipality?.changedAt ?? 0) : position.asOf;
  const text = tables.map(({ kind }, index) => linesOf(kind, read[index] ?? [])).join('');
  if ((municipality?.pastSince ?? 0) > asOf && REPLACED_KEY.test(text)) {
    refuse('CURSOR_GONE', { message: ERASED });
  }
  const last = read.at(-1)?.length === tables.at(-1)?.rows ? read.at(-1)?.at(-1) : undefined;
  const next =
    last === undefined
      ? { step: position.step + 1, ...FIRST }
      : { at: Number(last.place_at), id: Number(last.place_id) };
  return { text, position: { ...position, asOf, rows: position.rows + read.flat().length, ...next } };
}

const linesOf = (kind: string, rows: readonly Row[]): string =>
  rows
    .map((row) => JSON.stringify({ type: 'row', kind, values: NAMES[kind]?.map((name) => row[name]) }))
    .map((line) => `${line}\n`)
    .join('');

const ERASED = {
  en: 'A plate was erased since the first part, and keys with it: delete the parts and start the backup again.',
  it: 'Dopo la prima parte è stata cancellata una targa con le sue chiavi: eliminare le parti e ricominciare la copia.',
};
