import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import { clockNow } from '../../base/platform/clock.ts';
import { retentionDays } from '../../base/platform/retention-days.ts';
import type { Text } from '../../base/text/text.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/instant.ts';
import { type Plate, storedPlate } from '../../domain/plate.ts';
import { orderOf, type PartOrder } from '../../domain/restore-order.ts';
import type { Env } from '../../env.ts';
import type { CallFacts } from '../../serving/call.ts';
import { guardReason, textOfError } from '../../storage/db/guards.ts';
import type { RestoreProgress } from '../../storage/db/schema/restores.ts';
import { versionStatements } from '../../storage/history/configuration-versions-table.ts';
import { isPseudonym } from '../../storage/plate-digest/erased-plate.ts';
import { requireDigestKeys } from '../../storage/plate-digest/plate-digest.ts';
import { eraseFromRestored, erasureDigest } from '../../storage/stored-plates/subjects.ts';
import type { DiscardAnswer, RestoreAnswer } from './contract.ts';
import { deleteRows } from './deletion-table.ts';
import { ALL, FIRST_WITH_PLATES, platesIn, readPart } from './part-table.ts';
import {
  beginRestore,
  completeRestore,
  deleteRestore,
  findTenant,
  readErasuresSince,
  readStanding,
  storeRows,
  type Tenant,
  takeTurn,
  type Worker,
} from './restore-table.ts';
import { type SentBackup, storePart } from './store-part.ts';

/**
 * Restores the next part of a backup. The municipality cannot be read until the last part is stored and the plates erased since
 * the backup began are erased again. A call may be cut off anywhere: sending the same part again continues it.
 *
 * @throws Refusal `INVALID_REQUEST` for an unknown tenant, another municipality's backup, a backup too old, or a municipality
 *   that can be read; `RESTORE_CONFLICT`
 */
export async function restorePart(
  context: CallFacts,
  code: string,
  { tenant: tenantCode }: { readonly tenant: string },
  sent: SentBackup,
): Promise<RestoreAnswer> {
  const { env, now } = context;
  const { header } = sent;
  const days = retentionDays(env).backups;
  if (header.municipality_code !== code) {
    refuseFields([{ path: 'municipality_code', message: OF_ANOTHER }]);
  }
  if (Date.parse(header.begun_at) < now - days * DAY_MS) {
    refuseFields([{ path: 'begun_at', message: TOO_OLD(days) }]);
  }
  const tenant = await findTenant(env.DB, tenantCode);
  if (tenant === null) {
    refuseFields([{ path: 'tenant', message: UNKNOWN_TENANT }]);
  }
  const standing = await readStanding(env.DB, code);
  if (standing !== null && !standing.row.restoring) {
    const { restore } = standing;
    if (restore?.id !== header.backup_id) {
      refuseFields([{ path: 'municipality_code', message: READABLE }]);
    }
    await storeVersion(context, code);
    return { state: 'done', restored: restore.restored };
  }
  requireOrder(sent, standing?.restore ?? null);
  const worker = { id: header.municipality_id, turn: crypto.randomUUID() };
  return orRefuse(async () => {
    const before =
      standing === null ? await begin(env, worker, tenant, header) : await takeTurn(env.DB, worker);
    if (before === null) {
      refuse('RESTORE_CONFLICT', { message: NOT_NEXT.not_begun });
    }
    return takePart(context, worker, tenant, sent, before);
  });
}

/** Does the work of a call. Refuses a part that another call takes too, or whose rows cannot be stored. */
async function orRefuse(work: () => Promise<RestoreAnswer>): Promise<RestoreAnswer> {
  try {
    return await work();
  } catch (error) {
    if (guardReason(error) === 'other_turn') {
      refuse('RESTORE_CONFLICT', { message: NOT_NEXT.not_next });
    }
    if (CONSTRAINT.test(textOfError(error)) || /malformed JSON/i.test(textOfError(error))) {
      refuseFields([{ path: 'body', message: BACKUP_DAMAGED }]);
    }
    throw error;
  }
}

const CONSTRAINT = /constraint failed/i;

/** @throws Refusal `RESTORE_CONFLICT` */
function requireOrder({ header, digest }: SentBackup, taken: RestoreProgress | null): PartOrder {
  const { backup_id: id, part: number, after } = header;
  const order = orderOf({ id, number, after, digest }, taken);
  if (order !== 'take' && order !== 'taken' && order !== 'whole') {
    refuse('RESTORE_CONFLICT', { message: NOT_NEXT[order] });
  }
  return order;
}

/** @throws Refusal `RESTORE_CONFLICT` if another call has just begun it */
async function begin(
  { DB }: Env,
  worker: Worker,
  tenant: Tenant,
  header: SentBackup['header'],
): Promise<RestoreProgress> {
  const progress: RestoreProgress = {
    ...{ id: header.backup_id, parts: 0, after: null, isWhole: false, part: null, restored: 0 },
    ...{ begunAt: Date.parse(header.begun_at), tenant: header.tenant, erasing: null },
  };
  try {
    await beginRestore(DB, worker, header.municipality_code, tenant, progress);
  } catch (error) {
    if (CONSTRAINT.test(textOfError(error))) {
      refuse('RESTORE_CONFLICT', { message: NOT_NEXT.not_next });
    }
    throw error;
  }
  return progress;
}

/**
 * Stores the part if it is the next one, and finishes after the last.
 *
 * @param before the progress that the previous call has reached
 */
async function takePart(
  context: CallFacts,
  worker: Worker,
  tenant: Tenant,
  sent: SentBackup,
  before: RestoreProgress,
): Promise<RestoreAnswer> {
  const isNext = requireOrder(sent, before) === 'take';
  const progress = isNext ? await storePart(context.env.DB, worker, sent, before) : before;
  const isDone =
    progress.isWhole &&
    (await finishRestore(context, worker, tenant, sent.header.municipality_code, progress));
  return { state: isDone ? 'done' : 'restoring', restored: progress.restored };
}

/**
 * Finishes once all parts are stored: repeats the erasures since the backup began, and then makes the municipality readable.
 *
 * @returns false if the next call must continue
 */
async function finishRestore(
  context: CallFacts,
  worker: Worker,
  tenant: Tenant,
  code: string,
  before: RestoreProgress,
): Promise<boolean> {
  const erased = await eraseAgain(context, worker, [before.tenant, tenant.code], before);
  if (erased === null) {
    return false;
  }
  await completeRestore(context.env.DB, worker, { ...erased, after: null, part: null, erasing: null });
  await storeVersion(context, code);
  return true;
}

/** Stores the configuration as a version, if the newest version differs. Idempotent: the call may have been cut off before. */
async function storeVersion({ env, requestId }: CallFacts, code: string): Promise<void> {
  const by = { requestId, now: clockNow() };
  await env.DB.batch(versionStatements(env.DB, { municipalities: [code], tenants: [] }, by));
}

/** The most that the clocks of the service and of the database differ. */
const CLOCKS_APART_MS = MINUTE_MS;
/** How long one call erases, in milliseconds. */
const ERASING_MS = 4_000;

/**
 * Repeats the tenant's erasures since the backup began: searches all rows that hold plates, a part at a time, and starts again
 * if another plate is erased meanwhile.
 *
 * @returns the restore's progress; null if there is more to do
 */
async function eraseAgain(
  { env, now }: CallFacts,
  worker: Worker,
  tenantCodes: readonly string[],
  before: RestoreProgress,
): Promise<RestoreProgress | null> {
  const { DB: db } = env;
  const { id } = worker;
  const keys = requireDigestKeys(env);
  const [key = ''] = keys;
  const endsAtMs = performance.now() + ERASING_MS;
  let progress = before;
  for (;;) {
    const { digests, mark } = await readErasuresSince(db, tenantCodes, before.begunAt - CLOCKS_APART_MS);
    const { erasing } = progress;
    const position = erasing?.erasures === mark ? erasing.position : FIRST_WITH_PLATES;
    if (digests.size === 0 || position === null) {
      return progress;
    }
    const { rows, next } = await readPart(db, id, ALL, position, { ofPlates: true });
    for (const plate of platesIn(rows)
      .filter((stored) => !isPseudonym(stored))
      .map(storedPlate)) {
      const digest = await erasedAs(plate, digests, tenantCodes, keys);
      if (digest !== undefined) {
        await eraseFromRestored(db, { plate, municipalities: [{ id }] }, { key, digest }, now);
      }
    }
    progress = { ...progress, erasing: { erasures: mark, position: next } };
    await storeRows(db, worker, [], progress);
    if (performance.now() > endsAtMs) {
      return null;
    }
  }
}

/** Returns the digest of an erasure that matches a plate. */
async function erasedAs(
  plate: Plate,
  digests: ReadonlySet<string>,
  tenantCodes: readonly string[],
  keys: readonly string[],
): Promise<string | undefined> {
  const made = tenantCodes.flatMap((code) => keys.map((key) => erasureDigest(key, code, plate)));
  return (await Promise.all(made)).find((each) => digests.has(each));
}

/**
 * Discards a restore that is under way, a bounded part per call.
 *
 * @throws Refusal `NOT_FOUND` if none is under way
 */
export async function discardRestore({ DB }: Env, code: string): Promise<DiscardAnswer> {
  const standing = await readStanding(DB, code);
  if (standing === null || !standing.row.restoring) {
    refuse('NOT_FOUND', { message: NO_RESTORE });
  }
  const worker = { id: standing.row.id, turn: crypto.randomUUID() };
  await takeTurn(DB, worker);
  if (!(await deleteRows(DB, worker))) {
    return { state: 'discarding' };
  }
  await deleteRestore(DB, worker);
  return { state: 'discarded' };
}

const NO_RESTORE: Text = {
  en: 'No restore of this municipality is under way.',
  it: 'Nessun ripristino di questo comune è in corso.',
};

const UNKNOWN_TENANT: Text = {
  en: 'is not a known tenant: put its configuration first',
  it: 'non è un ente conosciuto: inviarne prima la configurazione',
};
const OF_ANOTHER: Text = {
  en: 'this is a backup of another municipality',
  it: 'questa è la copia di sicurezza di un altro comune',
};
const TOO_OLD = (days: number): Text => ({
  en: `the backup is older than ${days} days: the erasures since then are no longer known`,
  it: `la copia ha più di ${days} giorni: non è più noto che cosa sia stato cancellato da allora`,
});
const BACKUP_DAMAGED: Text = {
  en: 'the rows of this part do not belong together: make the backup again',
  it: 'le righe di questa parte non sono coerenti: creare di nuovo la copia',
};
const READABLE: Text = {
  en: 'the municipality is there and can be read: nothing is restored over it',
  it: 'il comune è presente e leggibile: un ripristino non può sostituirlo',
};

/** Why a part is refused. */
const NOT_NEXT: Record<Exclude<PartOrder, 'take' | 'taken' | 'whole'>, Text> = {
  not_begun: {
    en: 'No restore of this municipality is under way: begin with the first part of the backup.',
    it: 'Nessun ripristino di questo comune è in corso: cominciare dalla prima parte della copia.',
  },
  other_backup: {
    en: 'Another backup of this municipality is being restored: continue with it, or discard that restore.',
    it: 'È in corso il ripristino di un’altra copia di questo comune: proseguire con quella o eliminare il ripristino.',
  },
  not_next: {
    en: 'This is not the next part of the backup: send the parts in order, one at a time.',
    it: 'Non è la parte successiva della copia: inviare le parti in ordine, una alla volta.',
  },
  not_the_same: {
    en: 'A different part with this number is already partly restored: send that one again.',
    it: 'Una parte diversa con lo stesso numero è già stata ripristinata a metà: inviare di nuovo quella.',
  },
};
