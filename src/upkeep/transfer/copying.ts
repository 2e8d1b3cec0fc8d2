import { refuse } from '../../base/errors/refusal.ts';
import { clockNow } from '../../base/platform/clock.ts';
import { DAY_MS, HOUR_MS, type Instant } from '../../domain/instant.ts';
import type { MoveProgress } from '../../storage/db/schema/moves.ts';
import { cleanUp } from './clean-table.ts';
import type { MoveAnswer } from './contract.ts';
import { type Route, requireTurn } from './move-parts.ts';
import { AT_START, readStanding, readTenant, storeRows } from './moves-table.ts';
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
import { copyRow, countErasures, pointOn, resumeWrites, stopWrites } from './switch-table.ts';
import { atTarget } from './target.ts';

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
export class Copying {
  readonly #of: Copied;
  #progress: MoveProgress;
  #isSwitching = false;
  #statements = 0;

  constructor(of: Copied, progress: MoveProgress) {
    this.#of = of;
    this.#progress = progress;
  }

  get progress(): MoveProgress {
    return this.#progress;
  }

  /** How many statements have been sent, about. */
  get statements(): number {
    return this.#statements;
  }

  /** Does the next part. `arrived`: the municipality now lives in its new database. */
  async step(): Promise<Stepped> {
    const { from, to, route, turn } = this.#of;
    const { step, position } = this.#progress;
    if (step === 'clean') {
      throw new Error('the municipality has arrived, and does not live there');
    }
    if (step === 'clear') {
      this.#statements += 20;
      if (await this.#atTarget(() => cleanUp(to, route.id, requireTurn(route.id, turn)))) {
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
    const isBehind = this.#progress.position === null && this.#progress.taken <= SMALL;
    return isBehind ? this.#switch() : 'go on';
  }

  async #beginPass(): Promise<void> {
    const { asOf, rows } = await readBeginning(this.#of.from, this.#of.route.id, false);
    const since = this.#progress.asOf;
    this.#statements += 20;
    await this.#store(rows, this.#withRows(rows, { since, asOf, position: FIRST, taken: 0 }));
  }

  async #takePart(): Promise<void> {
    const { position, taken } = this.#progress;
    const part = await readPart(this.#of.from, this.#of.route.id, this.#progress, position ?? FIRST);
    this.#statements += 2 * part.statements;
    const next = { position: part.next, taken: taken + countNews(part.rows) };
    await this.#store(part.rows, this.#withRows(part.rows, next));
  }

  #withRows(rows: readonly Rows[], changed: Partial<MoveProgress>): MoveProgress {
    return { ...this.#progress, ...changed, copied: this.#progress.copied + countOf(rows) };
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
    for (let parts = 0; this.#progress.position !== null; parts += 1) {
      if (parts === MAX_LAST_PARTS) {
        return 'go on';
      }
      await this.#takePart();
    }
    await this.#store(await recentRows(from, route.id, clockNow()), this.#progress);
    if (!(await this.#copyRow())) {
      return 'go on';
    }
    if (await pointOn(from, route, turn, this.#progress)) {
      return 'arrived';
    }
    this.#isSwitching = false;
    if ((await countErasures(from, route)) !== this.#progress.erasures) {
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
    await this.#atTarget(() => copyRow(to, standing, tenant, route, turn));
    const after = tenant && (await readTenant(home, tenant.id));
    // Rows of one table, always with the same columns.
    return JSON.stringify(after) === JSON.stringify(tenant);
  }

  async #store(rows: readonly Rows[], progress: MoveProgress): Promise<void> {
    const { to, route, turn } = this.#of;
    await this.#atTarget(() => storeRows(to, route.id, turn, rows, { progress }));
    this.#progress = progress;
  }

  #atTarget<T>(work: () => Promise<T>): Promise<T> {
    return atTarget(this.#of.route, work);
  }

  /**
   * How far the copy has come.
   *
   * @throws Refusal `MOVE_IN_PROGRESS`: the move has been called off meanwhile
   */
  async answer(): Promise<MoveAnswer> {
    const { from, route } = this.#of;
    const { position, copied } = this.#progress;
    const [remaining, standing] = await Promise.all([
      position === null ? 0 : countLeft(from, route.id, this.#progress, position, MAX_COUNTED),
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
