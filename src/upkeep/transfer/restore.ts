import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import { retentionDays } from '../../base/platform/retention-days.ts';
import { DAY_MS, type Instant } from '../../domain/instant.ts';
import { orderOf, type PartOrder } from '../../domain/restore-order.ts';
import { unknownDatabase } from '../../serving/administration/unknown.ts';
import type { CallContext } from '../../serving/pipeline/reading.ts';
import { databasesOf, getDatabase, HOME, isBound } from '../../storage/databases/bindings.ts';
import { FROM_BACKUP } from '../../storage/db/schema/moves.ts';
import { isRefusedWrite } from '../../storage/db/writable.ts';
import type { RestoreAnswer } from './contract.ts';
import { finishRestore } from './finish-restore.ts';
import type { Route } from './move-parts.ts';
import type { Tenant } from './moves-table.ts';
import { rememberPlace } from './remember-place.ts';
import { beginRestore, findTenant, holderOfNumber, takeTurn } from './restore-table.ts';
import {
  BACKUP_DAMAGED,
  IN_ANOTHER,
  NOT_NEXT,
  OF_ANOTHER,
  OTHERS,
  TOO_OLD,
  UNKNOWN_TENANT,
} from './restore-texts.ts';
import type { SentBackup } from './sent-part.ts';
import { readStandings, type Standings } from './standings.ts';
import { storePart } from './store-part.ts';

/** Where a municipality is to be restored. */
interface RestoreTarget {
  readonly tenant: string;
  readonly to?: string | undefined;
}

/**
 * Takes the next part of a backup. Nothing can be read of the municipality until the last one is taken, and what was erased
 * since the backup was begun is erased again. It may be cut off anywhere: sending the same part again continues it.
 *
 * @throws Refusal `INVALID_REQUEST` for an unknown tenant or database, another municipality's backup, or one that is too old;
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
  requireRestorable(sent, code, now, retentionDays(env).backups);
  if (!isBound(env, to)) {
    const bound = databasesOf(env).map(({ name }) => name);
    refuseFields([{ path: 'to', message: unknownDatabase(to, bound) }]);
  }
  const tenant = await findTenant(env.DB, tenantCode);
  if (tenant === null) {
    refuseFields([{ path: 'tenant', message: UNKNOWN_TENANT }]);
  }
  const standings = await readStandings(env, code, to);
  const done = doneBefore(standings, sent);
  if (done !== null) {
    await rememberPlace(context, code, standings.livesIn ?? to);
    return done;
  }
  if (standings.livesIn !== null) {
    refuse('MUNICIPALITY_READABLE');
  }
  if (standings.restoresIn !== null && standings.restoresIn !== to) {
    refuse('PART_OUT_OF_ORDER', { message: IN_ANOTHER(standings.restoresIn) });
  }
  const known = standings.restoresIn === null ? null : (standings.rows.get(to)?.move ?? null);
  const order = orderOf(orderedOf(sent), known?.restore ?? null);
  requireOrder(order);
  const route: Route =
    known === null
      ? await begin(context, { code, to, tenant, sent, standings })
      : { id: header.municipality_id, code, from: FROM_BACKUP, to, stay: known.stay };
  return takePart(context, route, tenant, sent);
}

const orderedOf = ({ header, digest }: SentBackup) => ({
  id: header.backup_id,
  number: header.part,
  after: header.after,
  digest,
});

/** @throws Refusal `INVALID_REQUEST` */
function requireRestorable({ header }: SentBackup, code: string, now: Instant, days: number): void {
  if (header.municipality_code !== code) {
    refuseFields([{ path: 'municipality_code', message: OF_ANOTHER }]);
  }
  if (Date.parse(header.begun_at) < now - days * DAY_MS) {
    refuseFields([{ path: 'begun_at', message: TOO_OLD(days) }]);
  }
}

/** @throws Refusal `PART_OUT_OF_ORDER` */
function requireOrder(order: PartOrder): void {
  if (order !== 'take' && order !== 'taken' && order !== 'whole') {
    refuse('PART_OUT_OF_ORDER', { message: NOT_NEXT[order] });
  }
}

/** The answer to a part of a backup that has already been restored; null otherwise. */
function doneBefore({ rows, livesIn }: Standings, { header }: SentBackup): RestoreAnswer | null {
  const move = livesIn === null ? undefined : rows.get(livesIn)?.move;
  const isDone = move?.state === 'done' && move.restore?.id === header.backup_id;
  return isDone ? { state: 'done', restored: move.restore?.restored ?? 0 } : null;
}

interface Beginning {
  readonly code: string;
  readonly to: string;
  readonly tenant: Tenant;
  readonly sent: SentBackup;
  readonly standings: Standings;
}

async function begin({ env }: CallContext, { code, to, tenant, sent, standings }: Beginning): Promise<Route> {
  const { header } = sent;
  const id = header.municipality_id;
  const rows = [...standings.rows.values()].map(({ row }) => row);
  if (rows.some((row) => row.tenantId !== tenant.id)) {
    refuseFields([{ path: 'tenant', message: OTHERS }]);
  }
  const holders = await Promise.all([env.DB, getDatabase(env, to)].map((db) => holderOfNumber(db, id, code)));
  if (rows.some((row) => row.id !== id) || holders.some((holder) => holder !== null)) {
    refuseFields([{ path: 'municipality_id', message: OF_ANOTHER }]);
  }
  // A pointer says one less than the copy that was lost, whose cursors must not pass for those of this one.
  const stay = Math.max(0, ...rows.map((row) => row.stay)) + 2;
  const known = standings.rows.get(to)?.row;
  const livedIn = [...standings.rows.keys(), ...rows.flatMap((row) => [...row.livedIn])];
  const route: Route = { id, code, from: FROM_BACKUP, to, stay };
  const elsewhere = [...new Set(livedIn)].filter((name) => name !== to);
  await beginRestore(getDatabase(env, to), route, tenant, elsewhere, {
    id: header.backup_id,
    parts: 0,
    after: null,
    isWhole: false,
    part: null,
    restored: 0,
    begunAt: Date.parse(header.begun_at),
    tenant: header.tenant,
    numbers: { areas: {}, sources: {} },
    erasing: null,
    before: known?.movedTo ? { movedTo: known.movedTo, stay: known.stay } : null,
  });
  return route;
}

/** Stores the part where it is the next one, and finishes once all are stored. */
async function takePart(
  context: CallContext,
  route: Route,
  tenant: Tenant,
  sent: SentBackup,
): Promise<RestoreAnswer> {
  const db = getDatabase(context.env, route.to);
  const turn = crypto.randomUUID();
  const before = await takeTurn(db, route.id, turn);
  const order = orderOf(orderedOf(sent), before);
  requireOrder(order);
  if (before === null) {
    refuse('PART_OUT_OF_ORDER', { message: NOT_NEXT.not_begun });
  }
  try {
    const progress =
      order === 'take' ? await storePart(context.env, db, route.id, turn, sent, before) : before;
    const isDone = progress.isWhole && (await finishRestore(context, route, tenant, turn, progress));
    return { state: isDone ? 'done' : 'restoring', restored: progress.restored };
  } catch (error) {
    // Another call of the same restore has taken over.
    if (isRefusedWrite(error)) {
      refuse('PART_OUT_OF_ORDER', { message: NOT_NEXT.not_next });
    }
    if (/constraint failed|malformed JSON/i.test(String(error))) {
      refuseFields([{ path: 'body', message: BACKUP_DAMAGED }]);
    }
    throw error;
  }
}
