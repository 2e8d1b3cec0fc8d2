import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import type { Text } from '../../base/text/text.ts';
import { MINUTE_MS } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { UNKNOWN_TENANT } from '../../serving/administration/fields.ts';
import type { Call } from '../../serving/call.ts';
import { batch, type Query } from '../../storage/db/batch.ts';
import { bytesOfId, recordChange } from '../../storage/db/changes.ts';
import {
  digestKeys,
  keyCheck,
  plateDigests,
  requireDigestKeys,
} from '../../storage/plate-digest/plate-digest.ts';
import { eraseSomeRows } from '../../storage/stored-plates/stored-plates-table.ts';
import { positionOf } from './back-up.ts';
import { MUNICIPALITY } from './backup-table.ts';
import type { BackupHeader, DiscardAnswer, RestoreAnswer } from './contract.ts';
import {
  BEGIN_DISCARDING,
  DISCARDED_ROWS,
  DISCARDING,
  ERASED_SINCE,
  ERASING_REJECTED,
  MOVING,
  PLATES,
  PLATES_AT_ONCE,
  TENANT,
} from './restore-table.ts';
import { insertRows, type SentPart } from './sent-part.ts';

/**
 * Restores the next part of a backup. The municipality cannot be read until the last part is stored, and the plates erased since the
 * backup began are erased. A call may be cut off anywhere: sending the same part again continues it.
 *
 * How far it has come is in `municipalities.restoring`: the `after` of the next part; before the first one is whole, the backup's id;
 * after the last one, its `after`, then a space and the plate up to which erasures were applied.
 *
 * @throws Refusal `INVALID_REQUEST` for an unknown tenant, another municipality's backup, keys that are missing, or a municipality
 *   that can be read; `RESTORE_CONFLICT`
 */
export async function restorePart(
  c: Call,
  code: string,
  tenant: string,
  part: SentPart,
): Promise<RestoreAnswer> {
  const { env } = c;
  const { header, end } = part;
  const { backup_id: backupId } = header;
  requireOwn(env, code, header);
  const [[known], [owner]] = await batch(env.DB, [MUNICIPALITY, TENANT], { code, tenant });
  if (owner === undefined) refuseFields([{ path: 'tenant', message: UNKNOWN_TENANT }]);
  const restored = positionOf(end.after)?.rows ?? 0;
  // Where another call takes the id meanwhile, this one writes nothing.
  const municipalityId = known?.id ?? owner.nextMunicipality;

  if (known?.restoring === null) {
    if (known.lastRestore !== backupId) {
      refuseFields([{ path: 'municipality_code', message: READABLE }]);
    }
    return { state: 'done', restored };
  }
  let restoring = known?.restoring ?? backupId;
  const [next = ''] = restoring.split(' ');
  if (!next.startsWith(backupId)) refuse('RESTORE_CONFLICT', { message: OTHER_BACKUP });
  const isTaken = header.part <= (positionOf(next)?.parts ?? 0);
  if (!isTaken) {
    if (next !== (header.after ?? backupId)) refuse('RESTORE_CONFLICT', { message: NOT_NEXT });
    await insertRows(env.DB, part, { municipalityId, restoring, tenantId: owner.id });
    await move(env.DB, [], { municipalityId, restoring, next: end.after });
    restoring = end.after;
  }
  const isDone = !end.more && (await finish(c, header, municipalityId, restoring));
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

/** @throws Refusal `RESTORE_CONFLICT` if another call has moved the restore, or called it off */
async function move(d1: D1Database, queries: readonly Query<unknown[]>[], values: object): Promise<void> {
  const moved = (await batch(d1, [...queries, MOVING], { ...values })).at(-1);
  if (moved?.length === 0) refuse('RESTORE_CONFLICT', { message: NOT_NEXT });
}

/** Sorts after all pseudonyms, and before all plates. */
const FIRST_PLATE = '+';
/** The most that the clocks of two isolates differ. */
const CLOCKS_APART_MS = MINUTE_MS;

/**
 * Applies the erasures since the backup began to the plates that the municipality holds, some in a call. Then makes it readable.
 *
 * @returns false if the next call must continue
 */
async function finish(
  c: Call,
  { backup_id, begun_at, municipality_code }: BackupHeader,
  municipalityId: number,
  restoring: string,
): Promise<boolean> {
  const { DB: d1 } = c.env;
  const [now, requestId] = [c.get('now'), c.get('requestId')];
  const since = Date.parse(begun_at) - CLOCKS_APART_MS;
  const [digests] = await batch(d1, [ERASED_SINCE], { municipalityId, since });
  if (digests.length > 0) {
    const erased = new Set(digests.map(({ digest }) => digest));
    await batch(d1, [ERASING_REJECTED], { municipalityId, digests: JSON.stringify([...erased]) });
    const keys = requireDigestKeys(c.env);
    const [end = '', after = FIRST_PLATE] = restoring.split(' ');
    const [plates] = await batch(d1, [PLATES], { municipalityId, after });
    for (const { plate } of plates) {
      const made = plateDigests(keys, municipality_code, plate);
      if (!made.some((digest) => erased.has(digest))) continue;
      const erasing = { plate, municipalities: [municipalityId], key: keys[0] ?? '', now, requestId };
      while ((await eraseSomeRows(d1, erasing)) !== null);
    }
    if (plates.length === PLATES_AT_ONCE) {
      await move(d1, [], { municipalityId, restoring, next: `${end} ${plates.at(-1)?.plate}` });
      return false;
    }
  }
  // By the backup's id a part that is sent again is known.
  const values = { municipalityId, restoring, next: null, now, requestId: bytesOfId(backup_id) };
  await move(d1, [recordChange], values);
  return true;
}

/** The most statements of one call. */
const MAX_STATEMENTS = 100;

/**
 * Discards a restore that is under way, a bounded part per call.
 *
 * @throws Refusal `NOT_FOUND` if none is under way
 */
export async function discardRestore({ DB }: Env, code: string): Promise<DiscardAnswer> {
  const [[discarded]] = await batch(DB, [BEGIN_DISCARDING], { code });
  if (discarded === undefined) refuse('NOT_FOUND', { message: NO_RESTORE });
  let statements = 0;
  for (const table of DISCARDING) {
    for (let isEmpty = false; !isEmpty; statements += 1) {
      if (statements === MAX_STATEMENTS) return { state: 'discarding' };
      const [deleted] = await batch(DB, [table], discarded);
      isEmpty = deleted.length < DISCARDED_ROWS;
    }
  }
  return { state: 'done' };
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
