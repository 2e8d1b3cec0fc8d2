import * as z from 'zod';
import { refuse } from '../../base/errors/refusal.ts';
import { pauseAfter } from '../../base/platform/pause.ts';
import type { Env } from '../../env.ts';
import { type Sealing, seal, sealingOf, unseal } from '../../serving/access/seal.ts';
import { signingKeyOf } from '../../serving/access/token.ts';
import { UNKNOWN_MUNICIPALITY } from '../../serving/administration/fields.ts';
import type { CallFacts } from '../../serving/call.ts';
import { IMPORT_BODY } from '../../serving/http/body.ts';
import { KNOWN_SCHEMA } from '../../storage/db/schema-table.ts';
import type { BackupHeader, PartEnd } from './contract.ts';
import { FIRST, KINDS, type Rows, readBeginning, readPart, readStandingOf } from './part-table.ts';
import { findTenant, readStanding } from './restore-table.ts';

const number = z.int().min(0);

/**
 * A backup's progress between two parts, sealed into `after`. It holds positions and no keys or plates, because stored backups
 * are kept for long.
 */
const backupState = z.strictObject({
  id: z.uuid(),
  /** The number of parts so far. */
  parts: number,
  begunAt: number,
  /** The change as of which the backup is read, and the call that made it. */
  asOf: number,
  mark: z.string(),
  /** The municipality's erasures when the backup began. */
  standing: z.string(),
  /** Null when the backup is whole. */
  position: z.strictObject({ table: z.string(), after: z.array(number).readonly().nullable() }).nullable(),
});
type BackupState = z.infer<typeof backupState>;

/** Seals the same progress as the same text: a restore compares it between parts. */
const sealing = ({ TOKEN_KEY }: Env): Promise<Sealing> =>
  sealingOf(signingKeyOf(TOKEN_KEY), new Uint8Array(), 'backup/after/3', { alike: true });

const afterOf = async (state: BackupState, code: string, env: Env): Promise<string> =>
  seal(state, [code], await sealing(env));

/** @throws Refusal `CURSOR_GONE` unless this version made it, for this municipality and with this `TOKEN_KEY` */
export async function stateOf(after: string, code: string, env: Env): Promise<BackupState> {
  const { data } = backupState.safeParse(await unseal(after, [code], await sealing(env)));
  return data ?? refuse('CURSOR_GONE');
}

/** A call reads for this long, in milliseconds, unless the part is full earlier. */
const PART_MS = 3_000;
/** Pauses for this many times as long as the step took. */
const PAUSE_FACTOR = 2;
/** A part of this size ends: another step could double it. */
const ENOUGH_BYTES = IMPORT_BODY / 2 - 64 * 1024;

/** The most statements of one call. */
const MAX_STATEMENTS = 400;

const COLUMNS = Object.fromEntries([...KINDS].map(([kind, { reads }]) => [kind, Object.keys(reads)]));

/**
 * Returns the next part of a municipality's backup, as lines. All parts show the municipality as it was when the first one
 * was read; later writes do not appear.
 *
 * @param after the `after` of the previous part; absent for the first part
 * @throws Refusal `NOT_FOUND`, also during a restore; `CURSOR_GONE` if a plate was erased since the first part, or the database
 *   was put back to an earlier time
 */
export async function readBackupPart(
  { env, now }: CallFacts,
  code: string,
  after: string | undefined,
): Promise<string> {
  const { DB: db } = env;
  const { row } = (await readStanding(db, code)) ?? {};
  const tenant = row === undefined || row.restoring ? null : await findTenant(db, row.tenantId);
  if (row === undefined || tenant === null) {
    refuse('NOT_FOUND', { message: UNKNOWN_MUNICIPALITY });
  }
  const { id } = row;
  const begin = async () => {
    // Read before the rows, so that an erasure in between is noticed.
    const { standing } = await readStandingOf(db, id, 0);
    const { asOf, mark, rows } = await readBeginning(db, id);
    const state = { id: crypto.randomUUID(), parts: 0, begunAt: now, asOf, mark, standing, position: FIRST };
    return { state, rows };
  };
  const begun = after === undefined ? await begin() : { state: await stateOf(after, code, env), rows: [] };
  const part = begun.state.parts + 1;
  const { texts, position } = await readRows(db, id, begun.state, textOf(begun.rows));
  // Read after the rows: plates erased before now may be among them.
  const { standing, mark } = await readStandingOf(db, id, begun.state.asOf);
  if (standing !== begun.state.standing) {
    refuse('CURSOR_GONE');
  }
  if (mark !== begun.state.mark) {
    refuse('CURSOR_GONE', { message: DATABASE_WENT_BACK });
  }
  const header: BackupHeader = {
    ...{ type: 'backup', format: 1, schema: KNOWN_SCHEMA, backup_id: begun.state.id, part },
    begun_at: new Date(begun.state.begunAt).toISOString(),
    ...{ tenant: tenant.code, municipality_code: code, municipality_id: id },
    ...{ after: after ?? null, columns: COLUMNS },
  };
  const end: PartEnd = {
    type: 'part',
    after: await afterOf({ ...begun.state, parts: part, position }, code, env),
    more: position !== null,
  };
  return `${JSON.stringify(header)}\n${texts.join('')}${JSON.stringify(end)}\n`;
}

/**
 * Reads as many steps as a part has room for. Pauses between them, so that checks do not wait for the backup.
 *
 * @throws Refusal `CURSOR_GONE` when nothing is left to read
 */
async function readRows(db: D1Database, id: number, begun: BackupState, first: string) {
  const texts = [first];
  const endsAtMs = performance.now() + PART_MS;
  let position = begun.position ?? refuse('CURSOR_GONE');
  let bytes = first.length;
  for (let sent = 0; sent < MAX_STATEMENTS; sent += 1) {
    const startedAtMs = performance.now();
    const { rows, next } = await readPart(db, id, begun.asOf, position);
    const text = textOf([rows]);
    texts.push(text);
    bytes += encoder.encode(text).byteLength;
    if (next === null || bytes >= ENOUGH_BYTES || performance.now() >= endsAtMs) {
      return { texts, position: next };
    }
    position = next;
    await pauseAfter(startedAtMs, PAUSE_FACTOR);
  }
  return { texts, position };
}

const encoder = new TextEncoder();

const textOf = (rows: readonly Rows[]): string =>
  rows
    .flatMap(({ kind, items }) => items.map((item) => `{"type":"row","kind":"${kind}","values":${item}}\n`))
    .join('');

const DATABASE_WENT_BACK = {
  en: 'The database was put back to an earlier time since the previous part: delete the parts and start the backup again.',
  it: 'La base dati è stata riportata a un momento precedente dopo l’ultima parte: eliminare le parti e ricominciare la copia.',
};
