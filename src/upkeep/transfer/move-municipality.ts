import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import { clockNow } from '../../base/platform/clock.ts';
import { DAY_MS, HOUR_MS, type Instant } from '../../domain/instant.ts';
import { unknownDatabase } from '../../serving/administration/unknown.ts';
import type { CallContext } from '../../serving/pipeline/reading.ts';
import { completeArrival } from '../../storage/databases/arrival-table.ts';
import { databasesOf, getDatabase, HOME, isBound } from '../../storage/databases/bindings.ts';
import { nullIfRefused } from '../../storage/db/null-if-refused.ts';
import type { MoveProgress } from '../../storage/db/schema/moves.ts';
import { isRefusedWrite } from '../../storage/db/writable.ts';
import type { MoveAnswer } from './contract.ts';
import { atTarget, type Located, locate, rememberPlace } from './locate.ts';
import {
  AT_START,
  beginArriving,
  beginLeaving,
  cleanUp,
  cleanUpUntil,
  endMove,
  keepCleaning,
  type Leaving,
  MAX_STATEMENTS,
  PART_MS,
  type Route,
  readStanding,
  readTenant,
  repeatStay,
  requireLeft,
  requireTurn,
  type Standing,
  storeRows,
} from './moves-table.ts';
import {
  countLeft,
  countNews,
  FIRST,
  KINDS,
  type Rows,
  readBeginning,
  readPart,
  readRecent,
} from './part-table.ts';
import {
  copyRow,
  countErasures,
  pointOn,
  renewPointer,
  resumeWrites,
  stopWrites,
  storeVersion,
} from './switch-table.ts';

/** A pass that took no more is followed by the switch: the next one is as small. */
const SMALL = 1_000;
/** Parts of the last pass, while the writes are stopped. */
const MAX_LAST_PARTS = 10;
/** The most rows of a kind that are taken along of what counts for a day, while the writes are stopped. */
const MAX_RECENT = 10_000;
/** Of each table, rows that are still to be copied are counted up to here. */
const MAX_COUNTED = 10_000;

interface Copied {
  readonly from: D1Database;
  readonly to: D1Database;
  readonly home: D1Database;
  readonly route: Route;
  /** Of the call that works on it. */
  readonly turn: string;
}

/** Go on at once, wait because the writes have been stopped often enough, or done. */
type Stepped = 'go on' | 'wait' | 'arrived';

/**
 * Makes the copy of a municipality, in passes: the first takes it as it is when the pass begins, each of the others what was
 * recorded or replaced since, until there is little. Then the writes are stopped for the last pass, and for the switch.
 *
 *     clear ─ pass ─ pass ─ … ─ stop ─ last pass ─ pointer
 */
class Copying {
  progress: MoveProgress;
  /** How many statements have been sent, about. */
  statements = 0;
  readonly #of: Copied;
  #isSwitching = false;

  constructor(of: Copied, progress: MoveProgress) {
    this.#of = of;
    this.progress = progress;
  }

  /** Does the next part. `arrived`: the municipality now lives in its new database. */
  async step(): Promise<Stepped> {
    const { from, to, route, turn } = this.#of;
    const { step, position } = this.progress;
    if (step === 'clean') {
      throw new Error('the municipality has arrived, and does not live there');
    }
    if (step === 'clear') {
      this.statements += 20;
      if (await atTarget(route, () => cleanUp(to, route.id, requireTurn(route.id, turn)))) {
        // No copy has what was erased until now.
        const erasures = await countErasures(from, route);
        await this.#store([], { ...AT_START, step: 'copy', erasures });
      }
      return 'go on';
    }
    if (position === null) {
      await this.#beginPass();
      return 'go on';
    }
    await this.#takePart();
    // Right behind a pass that this call has stored: another call's turn is noticed before the writes are stopped.
    const isBehind = this.progress.position === null && this.progress.taken <= SMALL;
    return isBehind ? this.#switch() : 'go on';
  }

  async #beginPass(): Promise<void> {
    const { asOf, rows } = await readBeginning(this.#of.from, this.#of.route.id, false);
    const since = this.progress.asOf;
    this.statements += 20;
    const copied = this.progress.copied + countOf(rows);
    await this.#store(rows, { since, asOf, position: FIRST, taken: 0, copied });
  }

  async #takePart(): Promise<void> {
    const { position, taken, copied } = this.progress;
    const part = await readPart(this.#of.from, this.#of.route.id, this.progress, position ?? FIRST);
    this.statements += 2 * part.statements;
    const next = { position: part.next, taken: taken + countNews(part.rows) };
    await this.#store(part.rows, { ...next, copied: copied + countOf(part.rows) });
  }

  /** Stops the writes, copies what has changed until then, and lets the old row point to the new database. */
  async #switch(): Promise<Stepped> {
    const { from, route, turn } = this.#of;
    const stopped = await stopWrites(from, route, turn);
    if (stopped !== 'stopped') {
      return 'wait';
    }
    this.#isSwitching = true;
    await this.#beginPass();
    for (let parts = 0; this.progress.position !== null; parts += 1) {
      if (parts === MAX_LAST_PARTS) {
        return 'go on';
      }
      await this.#takePart();
    }
    await this.#store(await recentRows(from, route.id, clockNow()), this.progress);
    if (!(await this.#copyRow())) {
      return 'go on';
    }
    if (await pointOn(from, route, turn, this.progress)) {
      return 'arrived';
    }
    this.#isSwitching = false;
    if ((await countErasures(from, route)) !== this.progress.erasures) {
      await this.#store([], AT_START);
      await resumeWrites(from, route, turn);
    }
    return 'go on';
  }

  /**
   * Copies the municipality's own row, and its tenant's. A document about the tenant is written to the home first, then
   * everywhere: if the home's row is the same before and after, nothing newer was overwritten.
   *
   * @returns whether both are the same
   */
  async #copyRow(): Promise<boolean> {
    const { from, to, home, route, turn } = this.#of;
    const standing = await readStanding(from, route.code);
    if (standing === null) {
      return false;
    }
    const tenant = to === home ? null : await readTenant(home, standing.row.tenantId);
    await atTarget(route, () => copyRow(to, standing, tenant, route, turn));
    const after = tenant && (await readTenant(home, tenant.id));
    // Rows of one table, always with the same columns.
    return JSON.stringify(after) === JSON.stringify(tenant);
  }

  async #store(rows: readonly Rows[], changed: Partial<MoveProgress>): Promise<void> {
    const { to, route, turn } = this.#of;
    const progress = { ...this.progress, ...changed };
    await atTarget(route, () => storeRows(to, route.id, turn, rows, { progress }));
    this.progress = progress;
  }

  /**
   * How far the copy has come.
   *
   * @throws Refusal `MOVE_IN_PROGRESS`: the move has been called off meanwhile
   */
  async answer(): Promise<MoveAnswer> {
    const { from, route } = this.#of;
    const { position, copied } = this.progress;
    const [remaining, standing] = await Promise.all([
      position === null ? 0 : countLeft(from, route.id, this.progress, position, MAX_COUNTED),
      readStanding(from, route.code),
    ]);
    if (standing?.row.stay !== route.stay - 1) {
      refuse('MOVE_IN_PROGRESS');
    }
    return { state: this.#isSwitching ? 'switching' : 'copying', copied, remaining };
  }
}

const countOf = (rows: readonly Rows[]): number => rows.reduce((sum, { items }) => sum + items.length, 0);

/**
 * What a move takes along of the lines that were rejected within a day. Where that is not all, every plate of the municipality
 * is in doubt for a day: rather a doubt too many than a wrong fine.
 */
async function recentRows(from: D1Database, id: number, now: Instant): Promise<Rows[]> {
  const rows = await readRecent(from, id, now - DAY_MS, MAX_RECENT);
  if (rows.every(({ items }) => items.length <= MAX_RECENT)) {
    return rows;
  }
  // The count of a line that named a plate which is not remembered.
  const line: Readonly<Record<string, unknown>> = {
    ...{ hour: Math.floor(now / HOUR_MS), source_code: '', unremembered: 1, unreadable: 0, last_at: now },
  };
  const kind = 'rejected_line';
  const names = Object.keys(KINDS.get(kind)?.reads ?? {});
  return [...rows, { kind, items: [JSON.stringify(names.map((name) => line[name]))] }];
}

/**
 * Moves a municipality to another database, a bounded part with each call. It may be cut off anywhere, and called by several
 * at once: the next call continues.
 *
 *     old database: row ── writes stopped ── pointer ─────────────── cleaned up
 *     new database: row "arriving" + copy ──┴── last changes ── row
 *
 * The municipality lives elsewhere from the instant at which the old row becomes a pointer.
 *
 * @throws Refusal `NOT_FOUND`; `INVALID_REQUEST` for a database that is unknown or full, or where it already lives;
 *   `MOVE_IN_PROGRESS`, also while the move is called off
 */
export async function moveMunicipality(context: CallContext, code: string, to: string): Promise<MoveAnswer> {
  const { env } = context;
  if (!isBound(env, to)) {
    const bound = databasesOf(env).map(({ name }) => name);
    refuseFields([{ path: 'to', message: unknownDatabase(to, bound) }]);
  }
  const located = await locate(env, code);
  const { name, row, move } = located;
  if (move?.state === 'calling_off' || (move?.state === 'moving' && move.toDatabase !== to)) {
    refuse('MOVE_IN_PROGRESS');
  }
  if (name === to && move?.toDatabase !== to) {
    refuseFields([{ path: 'to', message: LIVES_THERE }]);
  }
  if (name === to) {
    return arrive(context, located);
  }
  const answer = await copyAndSwitch(context, row, { id: row.id, code, from: name, to, stay: row.stay + 1 });
  return answer ?? afterAnother(context, code, to);
}

/** Another call has moved it in the meantime: there, or somewhere else. */
async function afterAnother(context: CallContext, code: string, to: string): Promise<MoveAnswer> {
  const located = await locate(context.env, code);
  if (located.name !== to || (located.move !== null && located.move.toDatabase !== to)) {
    refuse('MOVE_IN_PROGRESS');
  }
  return arrive(context, located);
}

/** Finishes the move where the municipality already lives in its new database. */
function arrive(context: CallContext, { row, move, name }: Located): Promise<MoveAnswer> | MoveAnswer {
  const copied = move?.progress.copied ?? 0;
  return move?.state !== 'moving'
    ? { state: 'done', copied, remaining: 0 }
    : finishMove(
        context,
        { id: row.id, code: row.code, from: move.fromDatabase, to: name, stay: move.stay },
        copied,
      );
}

/** @returns null where another call has moved it meanwhile */
async function copyAndSwitch(
  context: CallContext,
  row: Standing['row'],
  route: Route,
): Promise<MoveAnswer | null> {
  const { env } = context;
  const [from, to] = [getDatabase(env, route.from), getDatabase(env, route.to)];
  const leaving = await beginLeaving(from, route);
  if (leaving === null) {
    return null;
  }
  if (leaving.to !== route.to) {
    refuse('MOVE_IN_PROGRESS');
  }
  const turn = crypto.randomUUID();
  const tenant = await readTenant(env.DB, row.tenantId);
  const progress = await atTarget(route, () => beginArriving(to, row, tenant, route, turn));
  if (progress === null) {
    return (await repeatStay(from, to, route)) ? moveMunicipality(context, row.code, route.to) : null;
  }
  const copied = { from, to, home: env.DB, route, turn };
  const copying = new Copying(copied, progressUnlessStale(progress, leaving));
  const endsAtMs = performance.now() + PART_MS;
  try {
    while (copying.statements < MAX_STATEMENTS && performance.now() < endsAtMs) {
      const stepped = await copying.step();
      if (stepped === 'arrived') {
        return await finishMove(context, route, copying.progress.copied, endsAtMs);
      }
      if (stepped === 'wait') {
        break;
      }
    }
  } catch (error) {
    // Another call of the same move has taken over, or has come to its end.
    if (!isRefusedWrite(error)) {
      throw error;
    }
  }
  return copying.answer();
}

/** No progress, where an erasure has made the copy stale: then it begins again. */
const progressUnlessStale = (progress: MoveProgress, { erasures }: Leaving): MoveProgress =>
  progress.step === 'clear' || progress.erasures === erasures ? progress : AT_START;

/**
 * Does what is left to do once the municipality lives in its new database. Doing any of it twice does no harm.
 *
 * @param copied how many rows were copied
 */
async function finishMove(
  context: CallContext,
  route: Route,
  copied: number,
  endsAtMs = performance.now() + PART_MS,
): Promise<MoveAnswer> {
  const { env, requestId } = context;
  const { id, code } = route;
  const [from, to] = [getDatabase(env, route.from), getDatabase(env, route.to)];
  await completeArrival(to, code, route);
  await storeVersion(to, code, { requestId, now: clockNow() });
  if (route.to !== HOME) {
    await renewPointer(env.DB, route);
  }
  await keepCleaning(to, route, copied);
  await rememberPlace(context, code, route.to);
  // Null: another call has cleaned it up, and the municipality is on its way again.
  const isClean = await nullIfRefused(() => cleanUpUntil(endsAtMs, from, id, requireLeft(route)));
  if (isClean === false) {
    return { state: 'cleaning', copied, remaining: 0 };
  }
  await endMove(from, to, route);
  return { state: 'done', copied, remaining: 0 };
}

const LIVES_THERE = {
  en: 'the municipality is in this database already',
  it: 'il comune è già in questa base dati',
};
