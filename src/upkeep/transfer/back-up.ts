import * as z from 'zod';
import { refuse } from '../../base/errors/refusal.ts';
import { pauseAfter } from '../../base/platform/pause.ts';
import type { Env } from '../../env.ts';
import { type Sealing, seal, sealingOf, unseal } from '../../serving/access/seal.ts';
import { signingKeyOf } from '../../serving/access/token.ts';
import { IMPORT_BODY } from '../../serving/http/body.ts';
import type { CallContext } from '../../serving/pipeline/reading.ts';
import { getDatabase } from '../../storage/databases/bindings.ts';
import { KNOWN_SCHEMA } from '../../storage/db/schema/index.ts';
import { STORED_TABLES } from '../../storage/db/stored-tables.ts';
import type { BackupHeader, PartEnd } from './contract.ts';
import { type Located, locate } from './locate.ts';
import { MAX_STATEMENTS, readTenant } from './moves-table.ts';
import { EVER, FIRST, KINDS, type Rows, readBeginning, readPart, readStandingOf } from './part-table.ts';

const number = z.int().min(0);

/**
 * How far a backup has come between two of its parts: what its `after` holds. It is sealed all the same, but whoever stores
 * backups keeps it for long: it has positions, and no key or plate of anybody.
 */
const backupState = z.strictObject({
  id: z.uuid(),
  /** How many parts there are already. */
  parts: number,
  /** Where it lives, and in which stay. */
  database: z.string(),
  stay: number,
  begunAt: number,
  /** The change as of which everything is read, and the call that made it. */
  asOf: number,
  mark: z.string(),
  /** The newest digest of a plate that was erased from it when it was begun. */
  erasedUpTo: number,
  /** How many of its payments had lost their plate then. */
  erasedPayments: number,
  /** Null: it is whole. */
  position: z.strictObject({ table: z.string(), after: z.array(number).readonly().nullable() }).nullable(),
});
type BackupState = z.infer<typeof backupState>;

/** The same place is always sealed as the same text: a restore compares what two parts say of it. */
const sealing = ({ TOKEN_KEY }: Env): Promise<Sealing> =>
  sealingOf(signingKeyOf(TOKEN_KEY), new Uint8Array(), 'backup/after/2', { alike: true });

export const afterOf = async (state: BackupState, code: string, env: Env): Promise<string> =>
  seal(state, [code], await sealing(env));

/** @throws Refusal `CURSOR_GONE` for what this version has not made, for this municipality and by this `TOKEN_KEY` */
export async function stateOf(after: string, code: string, env: Env): Promise<BackupState> {
  const { data } = backupState.safeParse(await unseal(after, [code], await sealing(env)));
  return data ?? refuse('CURSOR_GONE');
}

/** What one call reads, in milliseconds, unless the part is full before. */
const PART_MS = 3_000;
/** Of the time that a step has taken. */
const PAUSE_FACTOR = 2;
/** A part that has so much goes no further: another step may have as much again. */
const ENOUGH_BYTES = IMPORT_BODY / 2 - 64 * 1024;

/**
 * Without what a restored municipality begins again. Digests of rejected plates are in no backup: nobody could say which of these
 * an erasure has taken since.
 */
const LEFT_OUT = STORED_TABLES.flatMap(({ kind, isLeftOutOfBackups }) => (isLeftOutOfBackups ? [kind] : []));
const COLUMNS = Object.fromEntries(
  [...KINDS].flatMap(([kind, { reads }]) => (LEFT_OUT.includes(kind) ? [] : [[kind, Object.keys(reads)]])),
);

/**
 * The next part of a municipality's backup, as lines. The parts together are the municipality as it was when the first one was
 * read, whatever is written meanwhile.
 *
 * @param after what the part before says; the first part without it
 * @throws Refusal `NOT_FOUND`; `MOVE_IN_PROGRESS` where it is being restored; `CURSOR_GONE` where a plate was erased meanwhile,
 *   the municipality has moved, or its database was put back to an earlier time
 */
export async function readBackupPart(
  { env, now }: CallContext,
  code: string,
  after: string | undefined,
): Promise<string> {
  const located = await locate(env, code);
  const db = getDatabase(env, located.name);
  const { id } = located.row;
  const { state: begun, rows } =
    after === undefined
      ? await begin(db, located, now)
      : { state: await stateOf(after, code, env), rows: [] };
  if (begun.database !== located.name || begun.stay !== located.row.stay || begun.position === null) {
    refuse('CURSOR_GONE');
  }
  const header: BackupHeader = {
    type: 'backup',
    format: 1,
    schema: KNOWN_SCHEMA,
    backup_id: begun.id,
    part: begun.parts + 1,
    begun_at: new Date(begun.begunAt).toISOString(),
    tenant: (await readTenant(env.DB, located.row.tenantId)).code,
    municipality_code: code,
    municipality_id: id,
    after: after ?? null,
    columns: COLUMNS,
  };
  const { texts, state } = await readRows(db, id, { ...begun, parts: begun.parts + 1 }, textOf(rows));
  // After what was read: what was erased until then may be in it.
  const { erased, erasedPayments, mark, stay } = await readStandingOf(db, id, state.asOf);
  if (erased > state.erasedUpTo || erasedPayments !== state.erasedPayments || stay !== state.stay) {
    refuse('CURSOR_GONE');
  }
  if (mark !== state.mark) {
    refuse('CURSOR_GONE', { message: DATABASE_WENT_BACK });
  }
  const end: PartEnd = {
    type: 'part',
    after: await afterOf(state, code, env),
    more: state.position !== null,
  };
  return `${JSON.stringify(header)}\n${texts.join('')}${JSON.stringify(end)}\n`;
}

async function begin(db: D1Database, { name, row }: Located, now: number) {
  // First: what is erased after this was read is noticed.
  const { erased, erasedPayments } = await readStandingOf(db, row.id, 0);
  const { asOf, mark, rows } = await readBeginning(db, row.id, true);
  const place = { database: name, stay: row.stay, begunAt: now, asOf, mark };
  const state: BackupState = {
    ...{ id: crypto.randomUUID(), parts: 0, ...place },
    ...{ erasedUpTo: erased, erasedPayments, position: FIRST },
  };
  return { state, rows };
}

/** As many steps as a part has room for, with pauses between them: a backup may take its time, and a check may not. */
async function readRows(db: D1Database, id: number, begun: BackupState, first: string) {
  const texts = [first];
  const endsAtMs = performance.now() + PART_MS;
  let state = begun;
  for (let [bytes, sent] = [first.length, 0]; state.position !== null && sent < MAX_STATEMENTS; ) {
    const startedAtMs = performance.now();
    const { rows, next, statements } = await readPart(
      db,
      id,
      { since: EVER, asOf: state.asOf },
      state.position,
      1,
    );
    const text = textOf(rows);
    texts.push(text);
    bytes += encoder.encode(text).byteLength;
    sent += statements;
    state = { ...state, position: next };
    if (bytes >= ENOUGH_BYTES || performance.now() >= endsAtMs) {
      break;
    }
    await pauseAfter(startedAtMs, PAUSE_FACTOR);
  }
  return { texts, state };
}

const encoder = new TextEncoder();

const textOf = (rows: readonly Rows[]): string =>
  rows
    .flatMap(({ kind, items }) => items.map((item) => `{"type":"row","kind":"${kind}","values":${item}}\n`))
    .join('');

const DATABASE_WENT_BACK = {
  en: 'The database was put back to an earlier time since the part before: throw the parts away, and begin the backup again.',
  it: 'La base dati è stata riportata a un momento precedente dopo l’ultima parte: eliminare le parti e ricominciare la copia.',
};
