import { refuse } from '../../base/errors/refusal.ts';
import { pauseAfter } from '../../base/platform/pause.ts';
import { UNKNOWN_MUNICIPALITY } from '../../serving/administration/fields.ts';
import type { CallFacts } from '../../serving/call.ts';
import { KNOWN_SCHEMA } from '../../storage/db/schema-table.ts';
import { digestKeys, keyCheck } from '../../storage/plate-digest/plate-digest.ts';
import { findMunicipality, NAMES, type Row, readBeginning, readRows } from './backup-table.ts';
import type { BackupHeader, PartEnd } from './contract.ts';
import { type Position, positionOf, textOfPosition } from './position.ts';
import { TABLES } from './stored-table.ts';

/** A call reads for this long, in milliseconds, unless the part is full earlier. */
const PART_MS = 3_000;
/** Pauses for this many times as long as a step took, so that checks do not wait for the backup. */
const PAUSE_FACTOR = 2;
/** A part of this size ends. The largest step is two configurations of a megabyte, as JSON in JSON. */
const ENOUGH_BYTES = 4 * 1024 * 1024;

const encoder = new TextEncoder();
const textOf = (rows: readonly Row[]): string =>
  rows.map((row) => `${JSON.stringify({ type: 'row', ...row })}\n`).join('');

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
  const { DB: db } = env;
  const found = await findMunicipality(db, code);
  if (found === null || found.restoring !== null) refuse('NOT_FOUND', { message: UNKNOWN_MUNICIPALITY });
  const { id, tenant } = found;
  const { position: begun, text } =
    after === undefined ? await begin(db, id, now) : { position: knownPosition(after, id), text: '' };
  const { texts, position, rows } = await readSteps(db, begun, text);
  const header: BackupHeader = {
    ...{ type: 'backup', format: 1, schema: KNOWN_SCHEMA, backup_id: begun.backupId, part: begun.parts + 1 },
    begun_at: new Date(begun.begunAt).toISOString(),
    ...{ tenant, municipality_code: code, municipality_id: id },
    ...{ after: after ?? null, columns: NAMES, digest_keys: digestKeys(env).map(keyCheck) },
  };
  const end: PartEnd = {
    type: 'part',
    after: textOfPosition({ ...position, parts: begun.parts + 1, rows: begun.rows + rows }),
    more: position.table < TABLES.length,
  };
  return `${JSON.stringify(header)}\n${texts.join('')}${JSON.stringify(end)}\n`;
}

/** Its rows count as read before the first part. */
async function begin(db: D1Database, municipality: number, begunAt: number) {
  const { asOf, rows } = await readBeginning(db, municipality);
  const position: Position = {
    ...{ backupId: crypto.randomUUID(), municipality, parts: 0, rows: rows.length, begunAt, asOf },
    ...{ table: 0, after: [] },
  };
  return { position, text: textOf(rows) };
}

/** @throws Refusal `CURSOR_GONE` for a text that is no position, that is another municipality's, or after which nothing is left */
function knownPosition(after: string, municipality: number): Position {
  const position = positionOf(after);
  return position !== null && position.municipality === municipality && position.table < TABLES.length
    ? position
    : refuse('CURSOR_GONE');
}

/** Reads as many steps as a part has room for. */
async function readSteps(db: D1Database, begun: Position, first: string) {
  const texts = [first];
  const endsAtMs = performance.now() + PART_MS;
  let bytes = encoder.encode(first).byteLength;
  let { table, after } = begun;
  let rows = 0;
  while (table < TABLES.length) {
    const startedAtMs = performance.now();
    const read = await readRows(db, begun, table, after);
    if (read.hasLostParents) refuse('CURSOR_GONE', { message: ERASED });
    const text = textOf(read.rows);
    texts.push(text);
    bytes += encoder.encode(text).byteLength;
    rows += read.rows.length;
    [table, after] = read.last === null ? [table + 1, []] : [table, read.last];
    if (bytes >= ENOUGH_BYTES || performance.now() >= endsAtMs) break;
    await pauseAfter(startedAtMs, PAUSE_FACTOR);
  }
  return { texts, rows, position: { ...begun, table, after } };
}

const ERASED = {
  en: 'A plate was erased since the first part, and keys with it: delete the parts and start the backup again.',
  it: 'Dopo la prima parte è stata cancellata una targa con le sue chiavi: eliminare le parti e ricominciare la copia.',
};
