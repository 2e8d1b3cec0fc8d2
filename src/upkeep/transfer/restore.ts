import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import { clockNow } from '../../base/platform/clock.ts';
import { retentionDays } from '../../base/platform/retention-days.ts';
import type { Text } from '../../base/text/text.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/instant.ts';
import { type Plate, storedPlate } from '../../domain/plate.ts';
import { orderOf, type PartOrder } from '../../domain/restore-order.ts';
import type { Env } from '../../env.ts';
import { unknownDatabase } from '../../serving/administration/fields.ts';
import type { CallContext } from '../../serving/pipeline/reading.ts';
import { databasesOf, getDatabase, HOME, isBound } from '../../storage/databases/bindings.ts';
import { FROM_BACKUP, type RestoreProgress } from '../../storage/db/schema/moves.ts';
import { isRefusedWrite } from '../../storage/db/writable.ts';
import { isPseudonym } from '../../storage/plate-digest/erased-plate.ts';
import { requireDigestKeys } from '../../storage/plate-digest/plate-digest.ts';
import { eraseFromCopy, erasureDigest } from '../../storage/stored-plates/subjects.ts';
import type { DiscardAnswer, RestoreAnswer } from './contract.ts';
import { deleteRows } from './deletion-table.ts';
import { readStandings, rememberPlace, type Standings } from './locate.ts';
import {
  endArriving,
  findTenant,
  type Mover,
  PART_MS,
  type Route,
  requireTurn,
  storeRows,
  storeVersion,
  type Tenant,
} from './moves-table.ts';
import { ALL, FIRST_WITH_PLATES, platesIn, readPart } from './part-table.ts';
import {
  beginRestore,
  completeRestore,
  holderOfNumber,
  pointTo,
  readErasuresSince,
  takeTurn,
} from './restore-table.ts';
import { type SentBackup, storePart } from './store-part.ts';

/** Where a municipality is to be restored. */
interface RestoreTarget {
  readonly tenant: string;
  readonly to?: string | undefined;
}

/**
 * Restores the next part of a backup. The municipality cannot be read until the last part is stored and the plates erased since
 * the backup began are erased again. A call may be cut off anywhere: sending the same part again continues it.
 *
 * @throws Refusal `INVALID_REQUEST` for an unknown tenant or database, another municipality's backup, or a backup too old;
 *   `MUNICIPALITY_READABLE`; `PART_OUT_OF_ORDER`
 */
export async function restorePart(
  context: CallContext,
  code: string,
  { tenant: tenantCode, to = HOME }: RestoreTarget,
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
  if (!isBound(env, to)) {
    const bound = databasesOf(env).map(({ name }) => name);
    refuseFields([{ path: 'to', message: unknownDatabase(to, bound) }]);
  }
  const tenant = await findTenant(env.DB, tenantCode);
  if (tenant === null) {
    refuseFields([{ path: 'tenant', message: UNKNOWN_TENANT }]);
  }
  const standings = await readStandings(env, code, to);
  if (standings.livesIn !== null) {
    const move = standings.rows.get(standings.livesIn)?.move;
    if (move?.state !== 'done' || move.restore?.id !== header.backup_id) {
      refuse('MUNICIPALITY_READABLE');
    }
    await recordArrival(context, code, standings.livesIn);
    return { state: 'done', restored: move.restore.restored };
  }
  if (standings.restoresIn !== null && standings.restoresIn !== to) {
    refuse('PART_OUT_OF_ORDER', { message: IN_ANOTHER(standings.restoresIn) });
  }
  const known = standings.restoresIn === null ? null : (standings.rows.get(to)?.move ?? null);
  requireOrder(sent, known?.restore ?? null);
  const route: Route =
    known === null
      ? await begin(env, to, tenant, header, standings)
      : { id: header.municipality_id, code, from: FROM_BACKUP, to, stay: known.stay };
  return takePart(context, route, tenant, sent);
}

/** @throws Refusal `PART_OUT_OF_ORDER` */
function requireOrder({ header, digest }: SentBackup, taken: RestoreProgress | null): PartOrder {
  const { backup_id: id, part: number, after } = header;
  const order = orderOf({ id, number, after, digest }, taken);
  if (order !== 'take' && order !== 'taken' && order !== 'whole') {
    refuse('PART_OUT_OF_ORDER', { message: NOT_NEXT[order] });
  }
  return order;
}

async function begin(
  env: Env,
  to: string,
  tenant: Tenant,
  header: SentBackup['header'],
  standings: Standings,
): Promise<Route> {
  const { municipality_id: id, municipality_code: code } = header;
  const rows = [...standings.rows.values()].map(({ row }) => row);
  if (rows.some((row) => row.tenantId !== tenant.id)) {
    refuseFields([{ path: 'tenant', message: OTHERS }]);
  }
  const holders = await Promise.all([env.DB, getDatabase(env, to)].map((db) => holderOfNumber(db, id, code)));
  if (rows.some((row) => row.id !== id) || holders.some((holder) => holder !== null)) {
    refuseFields([{ path: 'municipality_id', message: OF_ANOTHER }]);
  }
  // A pointer's stay is one less than the lost copy's. Cursors of the lost copy must not be valid in this one.
  const stay = Math.max(0, ...rows.map((row) => row.stay)) + 2;
  const known = standings.rows.get(to)?.row;
  const livedIn = [...standings.rows.keys(), ...rows.flatMap((row) => [...row.livedIn])];
  const route: Route = { id, code, from: FROM_BACKUP, to, stay };
  const elsewhere = [...new Set(livedIn)].filter((name) => name !== to);
  await beginRestore(getDatabase(env, to), route, known, tenant, elsewhere, {
    ...{ id: header.backup_id, parts: 0, after: null, isWhole: false, part: null, restored: 0 },
    ...{ begunAt: Date.parse(header.begun_at), tenant: header.tenant, erasing: null },
    before: known?.movedTo ? { movedTo: known.movedTo, stay: known.stay } : null,
  });
  return route;
}

/** Stores the part if it is the next one, and finishes after the last. */
async function takePart(
  context: CallContext,
  route: Route,
  tenant: Tenant,
  sent: SentBackup,
): Promise<RestoreAnswer> {
  const worker = { ...route, target: getDatabase(context.env, route.to), turn: crypto.randomUUID() };
  const before = await takeTurn(worker.target, worker);
  const order = requireOrder(sent, before);
  if (before === null) {
    refuse('PART_OUT_OF_ORDER', { message: NOT_NEXT.not_begun });
  }
  try {
    const progress = order === 'take' ? await storePart(context.env, worker, sent, before) : before;
    const isDone = progress.isWhole && (await finishRestore(context, worker, tenant, progress));
    return { state: isDone ? 'done' : 'restoring', restored: progress.restored };
  } catch (error) {
    // Another call has taken over.
    if (isRefusedWrite(error)) {
      refuse('PART_OUT_OF_ORDER', { message: NOT_NEXT.not_next });
    }
    if (/constraint failed|malformed JSON/i.test(String(error))) {
      refuseFields([{ path: 'body', message: BACKUP_DAMAGED }]);
    }
    throw error;
  }
}

/** A call that works on a restore. */
type Worker = Route & Pick<Mover, 'turn' | 'target'>;

/**
 * Finishes once all parts are stored: points all rows here, repeats the erasures since the backup began, and then makes the
 * municipality live here.
 *
 * @returns false if the next call must continue
 * @throws Refusal `MUNICIPALITY_READABLE` if a database in which it lives is back
 */
async function finishRestore(
  context: CallContext,
  worker: Worker,
  tenant: Tenant,
  before: RestoreProgress,
): Promise<boolean> {
  const { env } = context;
  const { code, to, target } = worker;
  const { rows, livesIn } = await readStandings(env, code, to);
  const row = rows.get(to)?.row;
  if (livesIn !== null || row === undefined) {
    refuse('MUNICIPALITY_READABLE');
  }
  for (const { name, db: other } of databasesOf(env)) {
    if (name !== to && (name === HOME || rows.has(name))) {
      await pointTo(other, row, worker);
    }
  }
  const erased = await eraseAgain(context, worker, [before.tenant, tenant.code], before);
  if (erased === null) {
    return false;
  }
  await completeRestore(target, worker, erased);
  await recordArrival(context, code, to);
  return true;
}

/** Does what is left once the municipality lives there. Idempotent: the call may have been cut off before. */
async function recordArrival(context: CallContext, code: string, database: string): Promise<void> {
  const { env, requestId } = context;
  await storeVersion(getDatabase(env, database), code, { requestId, now: clockNow() });
  await rememberPlace(context, code, database);
}

/** The most that the clocks of the service and of the home differ. */
const CLOCKS_APART_MS = MINUTE_MS;

/**
 * Repeats the tenant's erasures since the backup began: searches all rows that hold plates, a part at a time, and starts again
 * if another plate is erased meanwhile.
 *
 * @returns the restore's progress; null if there is more to do
 */
async function eraseAgain(
  { env, now }: CallContext,
  worker: Worker,
  tenantCodes: readonly string[],
  before: RestoreProgress,
): Promise<RestoreProgress | null> {
  const { id, target } = worker;
  const keys = requireDigestKeys(env);
  const [key = ''] = keys;
  const endsAtMs = performance.now() + PART_MS;
  let progress = before;
  for (;;) {
    const { digests, mark } = await readErasuresSince(env.DB, tenantCodes, before.begunAt - CLOCKS_APART_MS);
    const { erasing } = progress;
    const position = erasing?.erasures === mark ? erasing.position : FIRST_WITH_PLATES;
    if (digests.size === 0 || position === null) {
      return progress;
    }
    const { rows, next } = await readPart(target, id, ALL, position, { maxTables: 1, ofPlates: true });
    for (const plate of platesIn(rows)
      .filter((stored) => !isPseudonym(stored))
      .map(storedPlate)) {
      const digest = await erasedAs(plate, digests, tenantCodes, keys);
      if (digest !== undefined) {
        await eraseFromCopy(target, { plate, municipalities: [{ id }] }, { key, digest }, now);
      }
    }
    progress = { ...progress, erasing: { erasures: mark, position: next } };
    await storeRows(target, worker, [], { restore: progress });
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
export async function discardRestore(env: Env, code: string): Promise<DiscardAnswer> {
  const { rows, restoresIn, livesIn } = await readStandings(env, code);
  const standing = restoresIn === null ? undefined : rows.get(restoresIn);
  if (restoresIn === null || standing === undefined || livesIn === restoresIn) {
    refuse('NOT_FOUND', { message: NO_RESTORE });
  }
  const db = getDatabase(env, restoresIn);
  const worker = { id: standing.row.id, turn: crypto.randomUUID() };
  const restore = await takeTurn(db, worker);
  if (!(await deleteRows(db, worker.id, requireTurn(worker)))) {
    return { state: 'discarding' };
  }
  const pointer = restore?.before ?? { movedTo: FROM_BACKUP, stay: 0 };
  await endArriving(db, worker.id, requireTurn(worker), pointer);
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
const OTHERS: Text = {
  en: 'the municipality is another tenant’s',
  it: 'il comune è di un altro ente',
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
const IN_ANOTHER = (to: string): Text => ({
  en: `The municipality is being restored to the database ${to}: continue there, or discard that restore.`,
  it: `Il ripristino del comune è in corso nella base dati ${to}: proseguire lì o eliminarlo.`,
});

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
