import type { MoveProgress } from '../db/schema/moves.ts';
import { HOUR_MS } from '../domain/instant.ts';
import { refuse } from '../errors/refusal.ts';
import { cleanUp } from './clean-table.ts';
import type { MoveAnswer } from './contract.ts';
import {
  newestSequence,
  readConfigurationStep,
  readJournalStep,
  readPlatelessSubscriptions,
  readSubscriptionsStep,
} from './copy-table.ts';
import { requireTurn, type Way } from './move-parts.ts';
import { AT_START, readStanding, readTenant, storeStep } from './moves-table.ts';
import { copyRow, countErasures, pointOn, resumeWrites, stopWrites } from './switch-table.ts';
import { atTarget } from './target.ts';

/** Ranges of the journal that are read once the writes are stopped: others' rows are in them too. */
const MOST_LAST_STEPS = 5;
/** Between the clocks of an import and of a database. */
const CLOCKS_APART_MS = HOUR_MS;

interface Copied {
  readonly from: D1Database;
  readonly to: D1Database;
  readonly home: D1Database;
  readonly way: Way;
  readonly code: string;
  readonly id: number;
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
 * Every change has its row in the journal, and every session that has none is looked at beside it: whoever reaches both ends
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
    const { from, to, way, id, turn } = this.#of;
    switch (this.#progress.step) {
      case 'clear':
        if (await this.#atTarget(() => cleanUp(to, id, requireTurn(id, turn)))) {
          // No copy has what was erased until now.
          const erasures = await countErasures(from, id, way);
          const begunAt = await newestSequence(from);
          await this.#store({
            rows: [],
            progress: { ...AT_START, step: 'configuration', begunAt, erasures },
          });
        }
        return 'go on';
      case 'configuration':
        await this.#store(await readConfigurationStep(from, id, this.#progress));
        return 'go on';
      case 'subscriptions':
        await this.#store(await readSubscriptionsStep(from, id, this.#progress));
        return 'go on';
      case 'journal':
        return (await this.#followJournal()) ? this.#switch() : 'go on';
      case 'clean':
        throw new Error('the municipality has arrived, and does not live there');
      default:
        return this.#progress.step satisfies never;
    }
  }

  /** @returns whether it is at its end */
  async #followJournal(): Promise<boolean> {
    const { isAtEnd, ...step } = await readJournalStep(this.#of.from, this.#of.id, this.#progress);
    await this.#store(step);
    return isAtEnd;
  }

  /** Stops the writes, copies what has changed until then, and lets the old row point to the new database. */
  async #switch(): Promise<Stepped> {
    const { from, way, id, turn, begunAt } = this.#of;
    const stopped = await stopWrites(from, id, way, turn);
    if (stopped !== 'stopped') {
      return 'wait';
    }
    this.#isSwitching = true;
    for (let steps = 0; !(await this.#followJournal()); steps += 1) {
      if (steps === MOST_LAST_STEPS) {
        return 'go on';
      }
    }
    for await (const plateless of readPlatelessSubscriptions(from, id, begunAt - CLOCKS_APART_MS)) {
      await this.#store({ rows: plateless, progress: this.#progress });
    }
    if (!(await this.#copyRow())) {
      return 'go on';
    }
    if (await pointOn(from, id, way, turn, this.#progress)) {
      return 'arrived';
    }
    this.#isSwitching = false;
    if ((await countErasures(from, id, way)) !== this.#progress.erasures) {
      await this.#store({ rows: [], progress: AT_START });
      await resumeWrites(from, id, way, turn);
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
    const { from, to, home, way, code, turn } = this.#of;
    const standing = await readStanding(from, code);
    if (standing === null) {
      return false;
    }
    if (to === home) {
      await this.#atTarget(() => copyRow(to, standing, null, way, turn));
      return true;
    }
    const tenant = await readTenant(home, standing.row.tenantId);
    await this.#atTarget(() => copyRow(to, standing, tenant, way, turn));
    const after = await readTenant(home, standing.row.tenantId);
    return after.active === tenant.active && after.name === tenant.name;
  }

  async #store(step: Parameters<typeof storeStep>[3]): Promise<void> {
    const { to, id, turn } = this.#of;
    await this.#atTarget(() => storeStep(to, id, turn, step));
    this.#progress = step.progress;
  }

  #atTarget<T>(work: () => Promise<T>): Promise<T> {
    return atTarget(this.#of.way, this.#of.code, work);
  }

  /**
   * How far the copy has come. What remains are rows of the old database's journal, of any municipality.
   *
   * @throws Refusal `MOVE_IN_PROGRESS`: the move has been called off meanwhile
   */
  async answer(): Promise<MoveAnswer> {
    const { from, code, way } = this.#of;
    const [newest, standing] = await Promise.all([newestSequence(from), readStanding(from, code)]);
    if (standing?.row.stay !== way.stay - 1) {
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
