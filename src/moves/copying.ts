import type { MoveProgress } from '../db/schema/moves.ts';
import { HOUR_MS } from '../domain/instant.ts';
import { refuse } from '../errors/refusal.ts';
import { clockNow } from '../platform/clock.ts';
import { cleanUp } from './clean-table.ts';
import type { MoveAnswer } from './contract.ts';
import type { Rows } from './copied-rows.ts';
import { type CopyStep, newestSequence, readCopyStep, readPlatelessSubscriptions } from './copy-table.ts';
import { type Route, requireTurn } from './move-parts.ts';
import { AT_START, readStanding, readTenant, storeRows } from './moves-table.ts';
import { readRejected } from './rejected-table.ts';
import { copyRow, countErasures, pointOn, resumeWrites, stopWrites } from './switch-table.ts';
import { atTarget } from './target.ts';

/** Ranges of the journal that are read once the writes are stopped: others' rows are in them too. */
const MAX_LAST_STEPS = 5;
/** Between the clocks of an import and of a database. */
const CLOCKS_APART_MS = HOUR_MS;

interface Copied {
  readonly from: D1Database;
  readonly to: D1Database;
  readonly home: D1Database;
  readonly route: Route;
  /** Of the call that works on it. */
  readonly turn: string;
  /** When the move was begun, by the old database's clock. */
  readonly begunAt: number;
}

/** Go on at once, wait because the writes have been stopped often enough, or done. */
type Stepped = 'go on' | 'wait' | 'arrived';

/**
 * Makes the copy of a municipality, in this order:
 *
 *     clear ─ configuration ─ subscriptions ─ journal, and with it the sessions ─ switch
 *
 * Every change has its row in the journal, and sessions that have none are looked at in the same steps: whoever reaches both ends
 * has copied all of them. Whatever changes meanwhile has a later row, and what is new a higher id.
 */
export class Copying {
  readonly #of: Copied;
  #progress: MoveProgress;
  #isSwitching = false;

  constructor(of: Copied, progress: MoveProgress) {
    this.#of = of;
    this.#progress = progress;
  }

  get progress(): MoveProgress {
    return this.#progress;
  }

  /** Does the next part. `arrived`: the municipality now lives in its new database. */
  async step(): Promise<Stepped> {
    const { from, to, route, turn } = this.#of;
    const { step } = this.#progress;
    if (step === 'clean') {
      throw new Error('the municipality has arrived, and does not live there');
    }
    if (step !== 'clear') {
      return (await this.#copy(step)) ? this.#switch() : 'go on';
    }
    if (await this.#atTarget(() => cleanUp(to, route.id, requireTurn(route.id, turn)))) {
      // No copy has what was erased until now.
      const erasures = await countErasures(from, route);
      const begunAt = await newestSequence(from);
      await this.#store([], { ...AT_START, step: 'configuration', begunAt, erasures });
    }
    return 'go on';
  }

  /** @returns whether the journal is at its end */
  async #copy(step: CopyStep): Promise<boolean> {
    const { isAtEnd, rows, progress } = await readCopyStep(
      step,
      this.#of.from,
      this.#of.route.id,
      this.#progress,
    );
    await this.#store(rows, progress);
    return isAtEnd;
  }

  /** Stops the writes, copies what has changed until then, and lets the old row point to the new database. */
  async #switch(): Promise<Stepped> {
    const { from, route, turn, begunAt } = this.#of;
    const stopped = await stopWrites(from, route, turn);
    if (stopped !== 'stopped') {
      return 'wait';
    }
    this.#isSwitching = true;
    for (let steps = 0; !(await this.#copy('journal')); steps += 1) {
      if (steps === MAX_LAST_STEPS) {
        return 'go on';
      }
    }
    for await (const plateless of readPlatelessSubscriptions(from, route.id, begunAt - CLOCKS_APART_MS)) {
      await this.#store(plateless, this.#progress);
    }
    await this.#store(await readRejected(from, route.id, clockNow()), this.#progress);
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
   * How far the copy has come. What remains are rows of the old database's journal, of any municipality.
   *
   * @throws Refusal `MOVE_IN_PROGRESS`: the move has been called off meanwhile
   */
  async answer(): Promise<MoveAnswer> {
    const { from, route } = this.#of;
    const [newest, standing] = await Promise.all([newestSequence(from), readStanding(from, route.code)]);
    if (standing?.row.stay !== route.stay - 1) {
      refuse('MOVE_IN_PROGRESS');
    }
    return {
      state: this.#isSwitching ? 'switching' : 'copying',
      copied: this.#progress.copied,
      remaining: Math.max(newest - this.#progress.sequence, 0) + sessionsLeft(this.#progress),
    };
  }
}

/** As many as were there when they were looked at last. */
const sessionsLeft = ({ sessions }: MoveProgress): number =>
  sessions === undefined ? 0 : (sessions.newest?.id ?? 0) - sessions.upTo;
