import type { MoveProgress, SubscriptionPlace } from '../db/schema/moves.ts';
import { changesStatements, takeChanges } from './changes-table.ts';
import { type ItemRow, type Rows, rowsOf } from './copied-rows.ts';
import { CONFIGURATION, NEWEST_CONFIGURATION, NEWEST_SEQUENCE } from './copy-statements.ts';
import { READ_PLATELESS, READ_SUBSCRIPTIONS } from './copy-subscriptions-statements.ts';

/** How much a step reads, and of which tables of the configuration. */
export interface StepSize {
  /** Numbers of the journal that are looked at together, of any municipality. */
  readonly range: number;
  readonly subscriptions: number;
  readonly configuration: readonly ConfigurationTable[];
}

type ConfigurationTable = (typeof CONFIGURATION)[number];

const OF_A_MOVE: StepSize = { range: 1_000, subscriptions: 100, configuration: CONFIGURATION };

/** What a step has read, and how far the copy has come once that is written. */
interface Step {
  readonly rows: readonly Rows[];
  readonly progress: MoveProgress;
  /** The journal had no row after those that were read. */
  readonly isAtEnd: boolean;
}

/** The steps that read, in their order. */
export type CopyStep = 'configuration' | 'subscriptions' | 'journal';
type ReadStep = (from: D1Database, id: number, progress: MoveProgress, size: StepSize) => Promise<Step>;

/** Does the next step: reads some rows, for a move or for a backup. */
export const readCopyStep = (
  step: CopyStep,
  from: D1Database,
  id: number,
  progress: MoveProgress,
  size = OF_A_MOVE,
): Promise<Step> => STEPS[step](from, id, progress, size);

interface Numbered {
  readonly sequence: number | null;
}

/** Reads the whole configuration, and how the sources' last imports went. */
const readConfiguration: ReadStep = async (from, id, progress, size) => {
  const { configuration } = size;
  const [newest, ...tables] = (await from.batch([
    from.prepare(NEWEST_CONFIGURATION()).bind(id),
    ...configuration.map(({ read }) => from.prepare(read()).bind(id)),
  ])) as [D1Result<Numbered>, ...D1Result<ItemRow>[]];
  return {
    isAtEnd: false,
    rows: configuration.map(({ kind }, index) => rowsOf(kind, tables[index])),
    progress: {
      ...copied(progress, tables.map(lengthOf)),
      step: 'subscriptions',
      configuredAt: newest.results[0]?.sequence ?? 0,
    },
  };
};

/**
 * What is written before rows that were read: the configuration again, where it is newer than the copied one, since they may
 * refer to what is new in it. It is read after them, and so has everything that they refer to.
 *
 * @param newest of the configuration, as it was when the rows were read
 */
async function configurationBefore(
  from: D1Database,
  id: number,
  progress: MoveProgress,
  newest: D1Result<Numbered>,
  size: StepSize,
): Promise<Pick<Step, 'rows'> & Pick<MoveProgress, 'configuredAt'>> {
  if ((newest.results[0]?.sequence ?? 0) <= progress.configuredAt) {
    return { rows: [], configuredAt: progress.configuredAt };
  }
  const { rows, progress: after } = await readConfiguration(from, id, progress, size);
  return { rows, configuredAt: after.configuredAt };
}

/** Reads the next subscriptions, in the order of their numbers. */
const readSubscriptions: ReadStep = async (from, id, progress, size) => {
  const [newest, read] = (await from.batch([
    from.prepare(NEWEST_CONFIGURATION()).bind(id),
    from.prepare(READ_SUBSCRIPTIONS()).bind(id, ...boundPlace(progress.subscription), size.subscriptions),
  ])) as [D1Result<Numbered>, D1Result<SubscriptionRow>];
  const { results } = read;
  const { rows, configuredAt } = await configurationBefore(from, id, progress, newest, size);
  const last = results.at(-1);
  const next = { ...copied(progress, [results.length]), configuredAt };
  return {
    isAtEnd: false,
    rows: [...rows, rowsOf('subscription', read)],
    progress:
      last === undefined || results.length < size.subscriptions
        ? { ...next, step: 'journal' }
        : { ...next, subscription: placeOf(last) },
  };
};

type SubscriptionRow = ItemRow & SubscriptionPlace;

const placeOf = ({ id, changedAt }: SubscriptionRow): SubscriptionPlace => ({ id, changedAt });

/** As the statements take it. No subscription has the id 0. */
export const boundPlace = (place: SubscriptionPlace | null) => [place?.id ?? 0, place?.changedAt ?? null];

/** A subscription without a plate, and how many were found, with those that had no room. */
export type PlatelessRow = SubscriptionRow & { readonly found: number };

/** Where to go on reading subscriptions without a plate; null where these were all. */
export function behindPlateless(results: readonly PlatelessRow[], max: number): SubscriptionPlace | null {
  const last = results.at(-1);
  return last !== undefined && (last.found === max || results.length < last.found) ? placeOf(last) : null;
}

/** Periods and areas that are read at once, not counting those of the last subscription: some thirty bytes each. */
export const MAX_PLATELESS_ITEMS = 50_000;

/**
 * Reads the subscriptions without a plate that have changed since an instant, some at a time: the journal is about plates and has
 * no rows of them. Call it while the writes are stopped.
 */
export async function* readPlatelessSubscriptions(
  from: D1Database,
  id: number,
  since: number,
): AsyncGenerator<readonly Rows[]> {
  const max = OF_A_MOVE.subscriptions;
  let after: SubscriptionPlace | null = null;
  do {
    const read: D1Result<PlatelessRow> = await from
      .prepare(READ_PLATELESS())
      .bind(id, ...boundPlace(after), max, since, MAX_PLATELESS_ITEMS)
      .all<PlatelessRow>();
    yield [rowsOf('subscription', read)];
    after = behindPlateless(read.results, max);
  } while (after !== null);
}

/**
 * Reads the next rows of the journal, and their sessions as they are now, including again those that have changed since the
 * copy was begun.
 */
const readJournal: ReadStep = async (from, id, progress, size) => {
  const place = { sequence: progress.sequence, sessions: progress.sessions };
  const subscriptionsAfter = Math.max(place.sequence, progress.begunAt);
  const read = await from.batch([
    ...changesStatements(from, id, place, size.range, subscriptionsAfter),
    from.prepare(NEWEST_CONFIGURATION()).bind(id),
  ]);
  const newest = read.at(-1) as D1Result<Numbered>;
  const changes = takeChanges(read, place, size.range);
  // How the sources' last imports went comes with the configuration.
  const hasImports = changes.journal.some(
    ({ sequence, kind }) => sequence > progress.begunAt && kind === 'import',
  );
  const known = hasImports ? { ...progress, configuredAt: -1 } : progress;
  const { rows, configuredAt } = await configurationBefore(from, id, known, newest, size);
  return {
    isAtEnd: changes.isAtEnd,
    rows: [...rows, ...changes.rows],
    progress: { ...copied(progress, [changes.count]), ...changes.progress, configuredAt },
  };
};

const STEPS: Readonly<Record<CopyStep, ReadStep>> = {
  configuration: readConfiguration,
  subscriptions: readSubscriptions,
  journal: readJournal,
};

/** The number of the newest row of a journal. */
export async function newestSequence(db: D1Database): Promise<number> {
  const row = await db.prepare(NEWEST_SEQUENCE()).first<{ sequence: number | null }>();
  return row?.sequence ?? 0;
}

const lengthOf = ({ results }: D1Result): number => results.length;

const copied = (progress: MoveProgress, counts: readonly number[]): MoveProgress => ({
  ...progress,
  copied: counts.reduce((sum, count) => sum + count, progress.copied),
});
