import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import { clockNow } from '../../base/platform/clock.ts';
import { DAY_MS, HOUR_MS, type Instant } from '../../domain/instant.ts';
import { unknownDatabase } from '../../serving/administration/fields.ts';
import type { CallContext } from '../../serving/pipeline/reading.ts';
import { completeArrival } from '../../storage/databases/arrival-table.ts';
import { databasesOf, getDatabase, HOME, isBound } from '../../storage/databases/bindings.ts';
import type { MoveProgress } from '../../storage/db/schema/moves.ts';
import { isRefusedWrite, nullIfRefused } from '../../storage/db/writable.ts';
import type { MoveAnswer } from './contract.ts';
import { deleteRows } from './deletion-table.ts';
import { atTarget, type Located, locate, rememberPlace } from './locate.ts';
import {
  AT_START,
  beginLeaving,
  copyRow,
  endMove,
  findTenant,
  keepCleaning,
  MAX_STATEMENTS,
  type Mover,
  PART_MS,
  pointOn,
  type Route,
  readStanding,
  renewPointer,
  repeatStay,
  requireLeft,
  requireTurn,
  resumeWrites,
  stopWrites,
  storeRows,
  storeVersion,
  takeCopy,
} from './moves-table.ts';
import {
  type Beginning,
  countLeft,
  countNews,
  countOf,
  FIRST,
  KINDS,
  type Rows,
  readBeginning,
  readPart,
} from './part-table.ts';

/** The switch comes after a pass of at most this many rows: the next pass will be as small. */
const SMALL = 1_000;
/** The most parts of the last pass, while writes are stopped. */
const MAX_LAST_PARTS = 10;
/** The most rows of each kind kept for a day that are copied while writes are stopped. */
const MAX_RECENT = 10_000;

/** Continue in this call, or in a later one; or the municipality now lives in its new database. */
type Stepped = 'go on' | 'wait' | 'arrived';

/**
 * Copies a municipality in passes. The first copies it as it is when the pass begins, and each later one copies the rows that
 * were recorded or replaced since, until there are few. Then writes stop for the last pass and the switch.
 *
 *     clear ─ pass ─ pass ─ … ─ stop ─ last pass ─ pointer
 */
class Copying {
  progress: MoveProgress;
  /** About how many statements have been sent. */
  statements = 0;
  readonly #move: Mover;
  readonly #home: D1Database;
  /** The number of erasures so far. A copy begun from now on has none of the erased plates. */
  #erasures = 0;
  #isSwitching = false;

  constructor(move: Mover, home: D1Database, progress: MoveProgress) {
    this.#move = move;
    this.#home = home;
    this.progress = progress;
  }

  /** Starts the copy again if a plate was erased since it began. */
  notice(erasures: number): void {
    this.#erasures = erasures;
    if (this.progress.step !== 'clear' && this.progress.erasures !== erasures) {
      this.progress = AT_START;
    }
  }

  /** Does the next part. */
  async step(): Promise<Stepped> {
    const { step, position } = this.progress;
    if (step === 'clean') {
      throw new Error('the municipality has arrived, but does not live there');
    }
    if (step === 'clear') {
      this.statements += 20;
      const { target, id } = this.#move;
      const clear = () => deleteRows(target, id, requireTurn(this.#move), { maxSteps: 1 });
      if (await atTarget(this.#move, clear)) {
        await this.#store([], { ...AT_START, step: 'copy', erasures: this.#erasures });
      }
      return 'go on';
    }
    if (position === null) {
      await this.#beginPass({ for: 'pass' });
      return 'go on';
    }
    await this.#takePart();
    // Only right after this call has stored a pass: then another call's turn is noticed before writes stop.
    const isBehind = this.progress.position === null && this.progress.taken <= SMALL;
    return isBehind ? this.#switch() : 'go on';
  }

  async #beginPass(beginning: Beginning): Promise<void> {
    const { source, id } = this.#move;
    const { asOf: since, mark: known } = this.progress;
    const { asOf, mark, earlierMark, rows, isCut } = await readBeginning(source, id, beginning, since);
    this.statements += 20;
    // The old database was put back to an earlier time. The copy has rows that it has lost.
    if (known !== earlierMark) {
      this.progress = AT_START;
      return;
    }
    const next = { since, asOf, mark, position: FIRST, taken: 0 };
    await this.#store(isCut ? [...rows, everyPlateInDoubt(clockNow())] : rows, next);
  }

  async #takePart(): Promise<void> {
    const { source, id } = this.#move;
    const { rows, next, statements } = await readPart(
      source,
      id,
      this.progress,
      this.progress.position ?? FIRST,
    );
    this.statements += 2 * statements;
    await this.#store(rows, { position: next, taken: this.progress.taken + countNews(rows) });
  }

  /** Stops writes, copies the last changes, and points the old row to the new database. */
  async #switch(): Promise<Stepped> {
    if (!(await stopWrites(this.#move))) {
      return 'wait';
    }
    this.#isSwitching = true;
    await this.#beginPass({ for: 'last pass', since: clockNow() - DAY_MS, most: MAX_RECENT });
    for (let parts = 0; this.progress.position !== null && parts < MAX_LAST_PARTS; parts += 1) {
      await this.#takePart();
    }
    const { step, position } = this.progress;
    const isReady = step === 'copy' && position === null && (await this.#copyRow());
    if (isReady && (await pointOn(this.#move, this.progress))) {
      return 'arrived';
    }
    this.#isSwitching = false;
    await resumeWrites(this.#move);
    const leaving = await beginLeaving(this.#move);
    this.notice(leaving?.erasures ?? 0);
    return leaving === null ? 'wait' : 'go on';
  }

  /**
   * Copies the municipality's own row, and its tenant's. A document about the tenant is written to the home first, then
   * everywhere: if the home's row is the same before and after, the copy has overwritten nothing newer.
   *
   * @returns whether the home's row has stayed the same
   */
  async #copyRow(): Promise<boolean> {
    const { source, target, code } = this.#move;
    const standing = await readStanding(source, code);
    if (standing === null) {
      return false;
    }
    const readTenant = () => (target === this.#home ? null : findTenant(this.#home, standing.row.tenantId));
    const tenant = await readTenant();
    await atTarget(this.#move, () => copyRow(this.#move, standing.row, tenant));
    // Rows of one table, always with the same columns.
    return JSON.stringify(await readTenant()) === JSON.stringify(tenant);
  }

  async #store(rows: readonly Rows[], changed: Partial<MoveProgress>): Promise<void> {
    const copied = this.progress.copied + countOf(rows);
    const progress = { ...this.progress, copied, ...changed };
    await atTarget(this.#move, () => storeRows(this.#move.target, this.#move, rows, { progress }));
    this.progress = progress;
  }

  /**
   * Returns the move's progress.
   *
   * @throws Refusal `MOVE_IN_PROGRESS` if the move was called off meanwhile
   */
  async answer(): Promise<MoveAnswer> {
    const { source, id, code, stay } = this.#move;
    const { position, copied } = this.progress;
    const [remaining, standing] = await Promise.all([
      position === null ? 0 : countLeft(source, id, this.progress, position),
      readStanding(source, code),
    ]);
    if (standing?.row.stay !== stay - 1) {
      refuse('MOVE_IN_PROGRESS');
    }
    return { state: this.#isSwitching ? 'switching' : 'copying', copied, remaining };
  }
}

/**
 * A row that puts every plate of the municipality in doubt for a day, for when more lines were rejected within a day than are
 * copied: an unnecessary doubt is better than a wrong fine.
 */
function everyPlateInDoubt(now: Instant): Rows {
  const kind = 'rejected_line';
  const line: Readonly<Record<string, unknown>> = {
    ...{ hour: Math.floor(now / HOUR_MS), source_code: '', unremembered: 1, unreadable: 0, last_at: now },
  };
  const names = Object.keys(KINDS.get(kind)?.reads ?? {});
  return { kind, items: [JSON.stringify(names.map((name) => line[name]))] };
}

/**
 * Moves a municipality to another database, a bounded part per call. Calls may be cut off anywhere, and may run concurrently:
 * the next call continues.
 *
 *     old database: row ── writes stopped ── pointer ─────────────── cleaned up
 *     new database: row "arriving" + copy ──┴── last changes ── row
 *
 * The municipality lives elsewhere from the instant at which the old row becomes a pointer.
 *
 * @throws Refusal `NOT_FOUND`; `INVALID_REQUEST` for a database that is unknown or full, or where it already lives;
 *   `MOVE_IN_PROGRESS`, also while the move is being called off
 */
export async function moveMunicipality(context: CallContext, code: string, to: string): Promise<MoveAnswer> {
  const { env } = context;
  if (!isBound(env, to)) {
    const bound = databasesOf(env).map(({ name }) => name);
    refuseFields([{ path: 'to', message: unknownDatabase(to, bound) }]);
  }
  const located = await locate(env, code);
  const { name, move } = located;
  if (move?.state === 'calling_off' || (move?.state === 'moving' && move.toDatabase !== to)) {
    refuse('MOVE_IN_PROGRESS');
  }
  if (name !== to) {
    return copyAndSwitch(context, located, to);
  }
  if (move?.toDatabase !== to) {
    refuseFields([{ path: 'to', message: LIVES_THERE }]);
  }
  return arrive(context, located);
}

/** Finishes the move of a municipality that already lives in its new database. */
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

async function copyAndSwitch(
  context: CallContext,
  { name, row, tenant }: Located,
  to: string,
): Promise<MoveAnswer> {
  const { env } = context;
  const move: Mover = {
    ...{ id: row.id, code: row.code, from: name, to, stay: row.stay + 1, turn: crypto.randomUUID() },
    ...{ source: getDatabase(env, name), target: getDatabase(env, to) },
  };
  const leaving = await beginLeaving(move);
  if (leaving === null) {
    return afterAnother(context, move);
  }
  if (leaving.to !== to) {
    refuse('MOVE_IN_PROGRESS');
  }
  const progress = await atTarget(move, () => takeCopy(move.target, row, tenant, move, move.turn));
  if (progress === null) {
    return (await repeatStay(move)) ? moveMunicipality(context, row.code, to) : afterAnother(context, move);
  }
  const copying = new Copying(move, env.DB, progress);
  copying.notice(leaving.erasures);
  const endsAtMs = performance.now() + PART_MS;
  try {
    while (copying.statements < MAX_STATEMENTS && performance.now() < endsAtMs) {
      const stepped = await copying.step();
      if (stepped === 'arrived') {
        return await finishMove(context, move, copying.progress.copied, endsAtMs);
      }
      if (stepped === 'wait') {
        break;
      }
    }
  } catch (error) {
    // Another call has taken over, or finished the move.
    if (!isRefusedWrite(error)) {
      throw error;
    }
  }
  return copying.answer();
}

/** Another call has moved it meanwhile, to the same database or another. */
async function afterAnother(context: CallContext, { code, to }: Route): Promise<MoveAnswer> {
  const located = await locate(context.env, code);
  if (located.name !== to || (located.move !== null && located.move.toDatabase !== to)) {
    refuse('MOVE_IN_PROGRESS');
  }
  return arrive(context, located);
}

/**
 * Cleans up once the municipality lives in its new database. Idempotent.
 *
 * @param copied the number of rows copied
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
  // Null: another call has cleaned up, and the municipality is moving again.
  const isClean = await nullIfRefused(() => deleteRows(from, id, requireLeft(route), { endsAtMs }));
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
