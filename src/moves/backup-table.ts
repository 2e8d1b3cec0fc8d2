import type { MoveProgress } from '../db/schema/moves.ts';
import { HOUR_MS, MINUTE_MS } from '../domain/instant.ts';
import { refuse } from '../errors/refusal.ts';
import { clockNow } from '../platform/clock.ts';
import type { BackupState } from './backup-state.ts';
import {
  HAS_CHANGED,
  IS_GONE,
  MUNICIPALITY_ROW,
  NEWEST_ERASED,
  NEWEST_ROW,
  READ_ERASED,
} from './backup-statements.ts';
import { changesStatements, takeChanges } from './changes-table.ts';
import { type ItemRow, type Rows, rowsOf } from './copied-rows.ts';
import { READ_PLATELESS } from './copy-subscriptions-statements.ts';
import {
  behindPlateless,
  boundPlace,
  MAX_PLATELESS_ITEMS,
  type PlatelessRow,
  readCopyStep,
  type StepSize,
} from './copy-table.ts';
import { DATABASE_WENT_BACK } from './restore-texts.ts';

/** Between the clocks of an import and of the service. */
const CLOCKS_APART_MS = HOUR_MS;
/** How long before it is stored a change was called for, at most: the time of an import, and some more. */
const CALLED_BEFORE_MS = 15 * MINUTE_MS;
/** The most changed subscriptions without a plate that the last step of a backup takes; with more, it cannot end yet. */
const MAX_PLATELESS = 5_000;

/** What a step of a backup has read, and how far the backup has come. */
export interface BackupStep {
  readonly rows: readonly Rows[];
  readonly state: BackupState;
}

/** What a backup has to know of the database when it begins. */
export async function readBeginning(db: D1Database): Promise<Pick<BackupState, 'erasedUpTo' | 'newest'>> {
  // First: what is erased after this was read is noticed.
  const erased = await db.prepare(NEWEST_ERASED()).first<number>('id');
  const newest = await db.prepare(NEWEST_ROW()).first<BackupState['newest']>();
  return { erasedUpTo: erased ?? 0, newest: newest ?? NO_ROW };
}

const NO_ROW = { sequence: 0, stamp: 0 };

/**
 * Reads the next rows of a backup. Only the last step has to be of one instant: whatever changes before it is further on
 * in the journal, and is read again.
 *
 * @throws Refusal `CURSOR_GONE` where the database was put back to an earlier time; at the end, where a plate was erased
 *   meanwhile, or the municipality has moved
 */
export async function readBackupStep(
  db: D1Database,
  id: number,
  state: BackupState,
  size: StepSize,
): Promise<BackupStep> {
  const step = await readStep(db, id, state, size);
  // After what was read: a database that is put back meanwhile has lost its newest row.
  const [gone, newest] = (await db.batch([
    db.prepare(IS_GONE()).bind(state.newest.sequence, state.newest.stamp),
    db.prepare(NEWEST_ROW()),
  ])) as [D1Result, D1Result<BackupState['newest']>];
  const now = newest.results[0] ?? NO_ROW;
  if (gone.results.length > 0 || now.sequence < step.state.copy.sequence) {
    refuse('CURSOR_GONE', { message: DATABASE_WENT_BACK });
  }
  return { ...step, state: { ...step.state, newest: now } };
}

async function readStep(db: D1Database, id: number, state: BackupState, size: StepSize): Promise<BackupStep> {
  switch (state.step) {
    case 'copy':
      return readCopied(db, id, state, size);
    case 'erased':
      return readErasedStep(db, id, state);
    case 'end':
      return readEnd(db, id, state, size);
    case 'done':
      return { rows: [], state };
    default:
      return state.step satisfies never;
  }
}

async function readCopied(
  db: D1Database,
  id: number,
  state: BackupState,
  size: StepSize,
): Promise<BackupStep> {
  const before: MoveProgress = { ...state.copy, erasures: 0, copied: 0 };
  const { isAtEnd, rows, progress } = await readCopyStep(state.copy.step, db, id, before, size);
  const { step, subscription, sequence, begunAt, configuredAt, sessions } = progress;
  const copyStep = step === 'subscriptions' || step === 'journal' ? step : 'configuration';
  return {
    rows,
    state: {
      ...state,
      step: isAtEnd ? 'erased' : 'copy',
      copy: {
        ...{ step: copyStep, subscription, sequence, begunAt, sessions },
        configuredAt: Math.max(configuredAt, 0),
      },
    },
  };
}

async function readErasedStep(db: D1Database, id: number, state: BackupState): Promise<BackupStep> {
  const max = 2_000;
  const read = await db
    .prepare(READ_ERASED())
    .bind(id, state.erased, max)
    .run<ItemRow & { readonly id: number }>();
  const last = read.results.at(-1);
  const isAtEnd = last === undefined || read.results.length < max;
  return {
    rows: [rowsOf('erased_plate', read)],
    state: isAtEnd ? { ...state, step: 'end' } : { ...state, erased: last.id },
  };
}

/** What has changed since, with the configuration, in one transaction: with it, all rows are of its instant. */
async function readEnd(db: D1Database, id: number, state: BackupState, size: StepSize): Promise<BackupStep> {
  const { copy } = state;
  const round = roundOf(state);
  const tables = size.configuration;
  const [changed, read, row, ...more] = (await db.batch([
    db.prepare(HAS_CHANGED()).bind(id, state.erasedUpTo, state.stay),
    db
      .prepare(READ_PLATELESS())
      .bind(id, ...boundPlace(round.after), MAX_PLATELESS, round.since, MAX_PLATELESS_ITEMS),
    db.prepare(MUNICIPALITY_ROW.read()).bind(id),
    ...tables.map((table) => db.prepare(table.read()).bind(id)),
    ...changesStatements(db, id, copy, size.range),
  ])) as [D1Result, D1Result<PlatelessRow>, ...D1Result<ItemRow>[]];
  if (changed.results.length > 0) {
    refuse('CURSOR_GONE');
  }
  const changes = takeChanges(more.slice(tables.length), copy, size.range);
  const next = behindPlateless(read.results, MAX_PLATELESS);
  const isAll = next === null && round.after === null;
  return {
    rows: [
      rowsOf('municipality', row),
      ...tables.map(({ kind }, index) => rowsOf(kind, more[index])),
      rowsOf('subscription', read),
      ...changes.rows,
    ],
    state: {
      ...state,
      copy: { ...copy, ...changes.progress },
      step: changes.isAtEnd && isAll ? 'done' : 'end',
      plateless: { ...round, after: next },
    },
  };
}

/** What is to be read next of the subscriptions without a plate. A round reads what has changed since the one before began. */
function roundOf({ begunAt, plateless }: BackupState): NonNullable<BackupState['plateless']> {
  if (plateless === undefined) {
    return { begunAt: clockNow(), since: Math.max(0, begunAt - CLOCKS_APART_MS), after: null };
  }
  return plateless.after === null
    ? { begunAt: clockNow(), since: plateless.begunAt - CALLED_BEFORE_MS, after: null }
    : plateless;
}
