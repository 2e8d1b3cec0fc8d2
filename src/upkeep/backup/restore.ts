import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import type { Text } from '../../base/text/text.ts';
import { MINUTE_MS } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { UNKNOWN_TENANT } from '../../serving/administration/fields.ts';
import type { CallFacts } from '../../serving/call.ts';
import {
  digestKeys,
  keyCheck,
  plateDigests,
  requireDigestKeys,
} from '../../storage/plate-digest/plate-digest.ts';
import { type ErasedPlate, eraseSomeRows } from '../../storage/stored-plates/erase-rows.ts';
import type { BackupHeader, DiscardAnswer, RestoreAnswer } from './contract.ts';
import { positionOf } from './position.ts';
import {
  beginDiscarding,
  completeRestore,
  discardSome,
  moveRestore,
  PLATES_AT_ONCE,
  readErasedSince,
  readPlates,
  readStanding,
} from './restore-table.ts';
import { insertPart, type SentPart } from './sent-part.ts';

/**
 * How far a restore has come, as `municipalities.restoring` has it: the position of the next part; before the first one is whole,
 * the backup's id; once all parts are there, the last position and the plate up to which erasures were applied.
 */
interface Progress {
  readonly backupId: string;
  readonly parts: number;
  /** The `after` of the next part; null: the first. */
  readonly after: string | null;
  /** Null: more parts follow. */
  readonly erasedUpTo: string | null;
}

/** Sorts after all pseudonyms, and before all plates. */
const FIRST_PLATE = '+';

function progressOf(restoring: string): Progress {
  const [after = '', erasedUpTo = null] = restoring.split(' ');
  const position = positionOf(after);
  return position === null
    ? { backupId: after, parts: 0, after: null, erasedUpTo }
    : { backupId: position.backupId, parts: position.parts, after, erasedUpTo };
}

/**
 * Restores the next part of a backup. The municipality cannot be read until the last part is stored, and the plates erased since the
 * backup began are erased. A call may be cut off anywhere: sending the same part again continues it.
 *
 * @throws Refusal `INVALID_REQUEST` for an unknown tenant, another municipality's backup, keys that are missing, or a municipality
 *   that can be read; `RESTORE_CONFLICT`
 */
export async function restorePart(
  context: CallFacts,
  code: string,
  tenant: string,
  sent: SentPart,
): Promise<RestoreAnswer> {
  const { env } = context;
  const { header, end } = sent;
  requireOwn(env, code, header);
  const { standing, tenantId } = await readStanding(env.DB, code, tenant);
  if (tenantId === null) refuseFields([{ path: 'tenant', message: UNKNOWN_TENANT }]);
  const restored = positionOf(end.after)?.rows ?? 0;

  if (standing !== null && standing.restoring === null) {
    if (standing.lastRestore !== header.backup_id.replaceAll('-', '').toUpperCase()) {
      refuseFields([{ path: 'municipality_code', message: READABLE }]);
    }
    return { state: 'done', restored };
  }
  const restoring = standing?.restoring ?? header.backup_id;
  const progress = progressOf(restoring);
  const isTaken = requireOrder(header, progress);
  if (isTaken && end.more) return { state: 'restoring', restored };

  let at = restoring;
  const municipality = header.municipality_id;
  if (!isTaken) {
    await insertPart(env.DB, sent, { municipality, restoring, code, tenantId });
    at = end.more ? end.after : `${end.after} ${FIRST_PLATE}`;
    await move(env.DB, municipality, restoring, at);
    if (end.more) return { state: 'restoring', restored };
  }
  const isDone = await finish(context, header, at);
  return { state: isDone ? 'done' : 'restoring', restored };
}

/** @throws Refusal `INVALID_REQUEST` for another municipality's backup, or one whose digests this deployment cannot look up */
function requireOwn(env: Env, code: string, { municipality_code, digest_keys }: BackupHeader): void {
  if (municipality_code !== code) refuseFields([{ path: 'municipality_code', message: OF_ANOTHER }]);
  const checks = new Set(digestKeys(env).map(keyCheck));
  if (!digest_keys.every((check) => checks.has(check))) {
    refuseFields([{ path: 'digest_keys', message: NO_KEY }]);
  }
}

/**
 * @returns whether the part was taken already
 * @throws Refusal `RESTORE_CONFLICT` for another than the next
 */
function requireOrder({ backup_id, part, after }: BackupHeader, progress: Progress): boolean {
  if (backup_id !== progress.backupId) refuse('RESTORE_CONFLICT', { message: OTHER_BACKUP });
  if (part <= progress.parts) return true;
  return part === progress.parts + 1 && after === progress.after
    ? false
    : refuse('RESTORE_CONFLICT', { message: NOT_NEXT });
}

/** @throws Refusal `RESTORE_CONFLICT` if another call has moved the restore, or called it off */
async function move(db: D1Database, municipality: number, from: string, to: string): Promise<void> {
  if (!(await moveRestore(db, municipality, from, to))) refuse('RESTORE_CONFLICT', { message: NOT_NEXT });
}

/** How long one call erases, in milliseconds. */
const ERASING_MS = 30_000;
/** The most that the clocks of two isolates differ. */
const CLOCKS_APART_MS = MINUTE_MS;

/**
 * Applies the erasures since the backup began: compares the plates that the municipality holds, some at a time. Then makes it
 * readable.
 *
 * @returns false if the next call must continue
 */
async function finish(
  { env, now, requestId }: CallFacts,
  { backup_id, begun_at, municipality_code, municipality_id: id }: BackupHeader,
  restoring: string,
): Promise<boolean> {
  const { DB: db } = env;
  const endsAtMs = performance.now() + ERASING_MS;
  const [end = '', first = FIRST_PLATE] = restoring.split(' ');
  let [at, after] = [restoring, first];
  const erased = await readErasedSince(db, id, Date.parse(begun_at) - CLOCKS_APART_MS);
  while (erased.size > 0) {
    const keys = requireDigestKeys(env);
    const plates = await readPlates(db, id, after);
    for (const plate of plates) {
      const digests = await plateDigests(keys, municipality_code, plate);
      if (digests.some((digest) => erased.has(digest))) {
        await eraseAll(db, { plate, municipalities: [id], key: keys[0] ?? '', now, requestId });
      }
    }
    if (plates.length < PLATES_AT_ONCE) break;
    after = plates.at(-1) ?? after;
    await move(db, id, at, `${end} ${after}`);
    at = `${end} ${after}`;
    if (performance.now() > endsAtMs) return false;
  }
  const isCompleted = await completeRestore(db, id, at, { requestId: backup_id, now });
  return isCompleted || refuse('RESTORE_CONFLICT', { message: NOT_NEXT });
}

async function eraseAll(db: D1Database, erased: ErasedPlate): Promise<void> {
  while ((await eraseSomeRows(db, erased)) !== null);
}

/** How long one call deletes, in milliseconds; and its most rounds, of some twenty statements each. */
const DISCARDING = { ms: 4_000, rounds: 40 } as const;

/**
 * Discards a restore that is under way, a bounded part per call.
 *
 * @throws Refusal `NOT_FOUND` if none is under way
 */
export async function discardRestore({ DB }: Env, code: string): Promise<DiscardAnswer> {
  const municipality = await beginDiscarding(DB, code);
  if (municipality === null) refuse('NOT_FOUND', { message: NO_RESTORE });
  const endsAtMs = performance.now() + DISCARDING.ms;
  for (let round = 0; round < DISCARDING.rounds && performance.now() < endsAtMs; round += 1) {
    if (await discardSome(DB, municipality)) return { state: 'done' };
  }
  return { state: 'discarding' };
}

const NO_RESTORE: Text = {
  en: 'No restore of this municipality is under way.',
  it: 'Nessun ripristino di questo comune è in corso.',
};
const OF_ANOTHER: Text = {
  en: 'this is a backup of another municipality',
  it: 'questa è la copia di sicurezza di un altro comune',
};
const NO_KEY: Text = {
  en: 'the secret DIGEST_KEY lacks a key of the deployment that made the backup: add it first',
  it: 'nel segreto DIGEST_KEY manca una chiave dell’installazione che ha creato la copia: aggiungerla prima',
};
const READABLE: Text = {
  en: 'the municipality is there and can be read: nothing is restored over it',
  it: 'il comune è presente e leggibile: un ripristino non può sostituirlo',
};
const OTHER_BACKUP: Text = {
  en: 'Another backup of this municipality is being restored: continue with it, or discard that restore.',
  it: 'È in corso il ripristino di un’altra copia di questo comune: proseguire con quella o eliminare il ripristino.',
};
const NOT_NEXT: Text = {
  en: 'This is not the next part of the backup: send the parts in order, one at a time.',
  it: 'Non è la parte successiva della copia: inviare le parti in ordine, una alla volta.',
};
