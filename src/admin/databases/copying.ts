import type { MoveProgress } from '../../db/schema/moves.ts';
import { cleanUp } from './clean-table.ts';
import {
  newestSequence,
  readConfigurationStep,
  readJournalStep,
  readSubscriptionsStep,
} from './copy-table.ts';
import {
  AT_START,
  copyRow,
  pointOn,
  readStanding,
  requireTurn,
  resumeWrites,
  stopWrites,
  storeStep,
  takeStaleness,
  type Way,
} from './moves-table.ts';
import type { MoveAnswer } from './response.ts';

/** Ranges of the journal that are read once the writes are stopped: others' rows are in them too. */
const MOST_LAST_STEPS = 5;

interface Copied {
  readonly from: D1Database;
  readonly to: D1Database;
  readonly way: Way;
  readonly code: string;
  readonly id: number;
  /** Of the call that works on it. */
  readonly turn: string;
}

/**
 * The copy of a municipality on its way to whole:
 *
 *     clear ─ configuration ─ subscriptions ─ journal, and with it the sessions ─ switch
 *
 * Every session and every change has its row in the journal: whoever has walked it to its end has copied all of them, and
 * whatever changes on the way stands further on in it.
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

  /** @returns whether the municipality now lives in its new database */
  async step(): Promise<boolean> {
    const { from, to, id, turn } = this.#of;
    switch (this.#progress.step) {
      case 'clear':
        if (await cleanUp(to, id, requireTurn(id, turn))) {
          // What was erased until now is in no copy.
          await takeStaleness(from, id);
          const begunAt = await newestSequence(from);
          await this.#store({ writes: [], progress: { ...AT_START, step: 'configuration', begunAt } });
        }
        return false;
      case 'configuration':
        await this.#store(await readConfigurationStep(from, id, this.#progress));
        return false;
      case 'subscriptions':
        await this.#store(await readSubscriptionsStep(from, id, this.#progress));
        return false;
      case 'journal':
        return (await this.#followJournal()) && this.#switch();
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
  async #switch(): Promise<boolean> {
    const { from, to, way, id, code } = this.#of;
    if (!(await stopWrites(from, id))) {
      return false;
    }
    this.#isSwitching = true;
    for (let steps = 0; !(await this.#followJournal()); steps += 1) {
      if (steps === MOST_LAST_STEPS) {
        return false;
      }
    }
    const standing = await readStanding(from, code);
    if (standing !== null) {
      await copyRow(to, standing, way.from);
    }
    if (await pointOn(from, id, way)) {
      return true;
    }
    this.#isSwitching = false;
    if (await takeStaleness(from, id)) {
      await this.#store({ writes: [], progress: AT_START });
      await resumeWrites(from, id);
    }
    return false;
  }

  async #store(step: Parameters<typeof storeStep>[3]): Promise<void> {
    await storeStep(this.#of.to, this.#of.id, this.#of.turn, step);
    this.#progress = step.progress;
  }

  /** Where the copy stands. What remains are rows of the old database's journal, whosever they are. */
  async answer(): Promise<MoveAnswer> {
    const newest = await newestSequence(this.#of.from);
    return {
      state: this.#isSwitching ? 'switching' : 'copying',
      copied: this.#progress.copied,
      remaining: Math.max(newest - this.#progress.sequence, 0),
    };
  }
}
