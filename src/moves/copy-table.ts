import type { MoveProgress } from '../db/schema/moves.ts';
import type { Rows } from './copied-rows.ts';
import {
  CONFIGURATION,
  NEWEST_CONFIGURATION,
  NEWEST_SEQUENCE,
  READ_JOURNAL,
  READ_SESSIONS,
} from './copy-statements.ts';
import {
  READ_CHANGED_SUBSCRIPTIONS,
  READ_PLATELESS,
  READ_SUBSCRIPTIONS,
} from './copy-subscriptions-statements.ts';
import {
  FIRST_SESSION,
  type NewestSession,
  sessionStatements,
  takeSessions,
} from './unchanged-sessions-table.ts';

/** How much a step reads, and of which tables of the configuration. */
export interface StepSize {
  /** Numbers of the journal that are looked at at once, whosever they are. */
  readonly range: number;
  readonly subscriptions: number;
  readonly configuration: readonly ConfigurationTable[];
}

type ConfigurationTable = (typeof CONFIGURATION)[number];

/**
 * The records that a step reads of the journal: one of a subscription with hundreds of areas has over a hundred kilobytes, and
 * a thousand of them no room in memory.
 */
export const MOST_JOURNAL_BYTES = 2 * 1024 * 1024;

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

export interface ItemRow {
  /** A JSON list. */
  readonly item: string;
}

export interface Numbered {
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
    from.prepare(READ_SUBSCRIPTIONS()).bind(id, progress.subscription, size.subscriptions),
  ])) as [D1Result<Numbered>, D1Result<SubscriptionRow>];
  const { results } = read;
  const { rows, configuredAt } = await configurationBefore(from, id, progress, newest, size);
  const last = results.at(-1)?.number;
  const next = { ...copied(progress, [results.length]), configuredAt };
  return {
    isAtEnd: false,
    rows: [...rows, rowsOf('subscription', read)],
    progress:
      last === undefined || results.length < size.subscriptions
        ? { ...next, step: 'journal' }
        : { ...next, subscription: last },
  };
};

interface SubscriptionRow extends ItemRow {
  readonly number: string;
}

/** A subscription without a plate, and how many were found, with those that had no room. */
export interface PlatelessRow extends SubscriptionRow {
  readonly found: number;
}

/** Where to go on reading subscriptions without a plate; null where these were all. */
export function behindPlateless(results: readonly PlatelessRow[], most: number): string | null {
  const last = results.at(-1);
  return last !== undefined && (last.found === most || results.length < last.found) ? last.number : null;
}

/** Periods and areas that are read at once, but for those of one subscription: some thirty bytes each. */
export const MOST_PLATELESS_ITEMS = 50_000;

/**
 * Reads the subscriptions without a plate that have changed since an instant, some at a time: the journal is about plates and has
 * no rows of them. Call it while the writes are stopped.
 */
export async function* readPlatelessSubscriptions(
  from: D1Database,
  id: number,
  since: number,
): AsyncGenerator<readonly Rows[]> {
  const most = OF_A_MOVE.subscriptions;
  for (let after: string | null = ''; after !== null; ) {
    const read: D1Result<PlatelessRow> = await from
      .prepare(READ_PLATELESS())
      .bind(id, after, most, since, MOST_PLATELESS_ITEMS)
      .all<PlatelessRow>();
    yield [rowsOf('subscription', read)];
    after = behindPlateless(read.results, most);
  }
}

export interface JournalRow extends ItemRow {
  readonly sequence: number;
  readonly kind: string;
  readonly key: string | null;
  /** How many rows the range has. */
  readonly found: number;
}

/**
 * Reads the next rows of the journal, and their sessions as they are now, including again those that have changed since the
 * copy was begun.
 */
const readJournal: ReadStep = async (from, id, progress, size) => {
  const after = progress.sequence;
  const range = [id, after, after + size.range];
  const place = progress.sessions ?? FIRST_SESSION;
  const [newest, rows, sessions, subscriptions, newestConfiguration, newestSession, unchanged] =
    (await from.batch([
      from.prepare(NEWEST_SEQUENCE()),
      from.prepare(READ_JOURNAL()).bind(...range, MOST_JOURNAL_BYTES),
      from.prepare(READ_SESSIONS()).bind(...range),
      from
        .prepare(READ_CHANGED_SUBSCRIPTIONS())
        .bind(id, Math.max(after, progress.begunAt), after + size.range),
      from.prepare(NEWEST_CONFIGURATION()).bind(id),
      ...sessionStatements(from, id, place, size.range),
    ])) as [
      D1Result<Numbered>,
      D1Result<JournalRow>,
      D1Result<ItemRow>,
      D1Result<ItemRow>,
      D1Result<Numbered>,
      D1Result<NewestSession>,
      D1Result<ItemRow>,
    ];
  const { isAtEnd, upTo, taken } = takeJournal(rows.results, newest, after, size.range);
  const looked = takeSessions(newestSession, place, size.range);
  // How the sources' imports stand comes with the configuration.
  const hasImports = taken.some(({ sequence, kind }) => sequence > progress.begunAt && kind === 'import');
  const configuration = await configurationBefore(
    from,
    id,
    hasImports ? { ...progress, configuredAt: -1 } : progress,
    newestConfiguration,
    size,
  );
  return {
    isAtEnd: isAtEnd && looked.isAtEnd,
    // Rows come after those that they refer to.
    rows: [
      ...configuration.rows,
      rowsOf('subscription', subscriptions),
      rowsOf('parking_session', sessions),
      rowsOf('parking_session', unchanged),
      { kind: 'journal', items: taken.map(({ item }) => item) },
    ],
    progress: {
      ...copied(progress, [taken.length, sessions.results.length, unchanged.results.length]),
      sequence: upTo,
      sessions: looked.place,
      configuredAt: configuration.configuredAt,
    },
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

/** What is taken of a range of the journal, and up to which number. */
export function takeJournal(
  rows: readonly JournalRow[],
  newest: D1Result<Numbered>,
  after: number,
  range: number,
): { readonly isAtEnd: boolean; readonly upTo: number; readonly taken: readonly JournalRow[] } {
  const last = rows.at(-1);
  if (last !== undefined && rows.length < last.found) {
    return { isAtEnd: false, upTo: last.sequence, taken: rows };
  }
  const end = Math.min(after + range, newest.results[0]?.sequence ?? 0);
  const isAtEnd = end < after + range;
  const upTo = isAtEnd ? Math.max(end, after) : beforeCutGroup(rows, after, end);
  return { isAtEnd, upTo, taken: rows.filter(({ sequence }) => sequence <= upTo) };
}

/**
 * A large configuration has several rows in succession, which are never cut apart.
 *
 * @returns the last number to take
 */
function beforeCutGroup(rows: readonly JournalRow[], after: number, end: number): number {
  const last = rows.at(-1);
  const first = rows.findLast(({ kind, key }) => kind === 'configuration' && key === null);
  const isCut = last?.kind === 'configuration' && last.sequence === end && first !== undefined;
  return isCut && first.sequence - 1 > after ? first.sequence - 1 : end;
}

export const rowsOf = (kind: Rows['kind'], read: D1Result<ItemRow> | undefined): Rows => ({
  kind,
  items: (read?.results ?? []).map(({ item }) => item),
});

const lengthOf = ({ results }: D1Result): number => results.length;

const copied = (progress: MoveProgress, counts: readonly number[]): MoveProgress => ({
  ...progress,
  copied: counts.reduce((sum, count) => sum + count, progress.copied),
});
