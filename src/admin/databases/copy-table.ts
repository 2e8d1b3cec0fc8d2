import type { MoveProgress } from '../../db/schema/moves.ts';
import {
  CONFIGURATION,
  NEWEST_CONFIGURATION,
  NEWEST_SEQUENCE,
  READ_JOURNAL,
  READ_SESSIONS,
  WRITE_JOURNAL,
  WRITE_SESSIONS,
} from './copy-statements.ts';
import {
  READ_CHANGED_SUBSCRIPTIONS,
  READ_PLATELESS,
  READ_SUBSCRIPTIONS,
  WRITE_SUBSCRIPTIONS,
} from './copy-subscriptions-statements.ts';

/** The rows of one statement, in characters: a parameter may have 2 MB, and gates ask the same database. */
const MOST_CHARACTERS = 400_000;
/** Numbers of the journal that are looked at at once, whosever they are. */
const RANGE = 1_000;
const SUBSCRIPTIONS_AT_ONCE = 100;

/** A write that is still to be sent: the text of its statement, and its rows. */
export interface Write {
  readonly text: string;
  readonly rows: string;
}

/** What a step has read, and where the move stands once it is written. */
export interface Step {
  readonly writes: readonly Write[];
  readonly progress: MoveProgress;
}

interface ItemRow {
  /** A JSON list. */
  readonly item: string;
}

interface Numbered {
  readonly sequence: number | null;
}

/** Reads the whole configuration, and how the sources' imports stand. */
export async function readConfigurationStep(
  from: D1Database,
  id: number,
  progress: MoveProgress,
): Promise<Step> {
  const [newest, ...tables] = (await from.batch([
    from.prepare(NEWEST_CONFIGURATION()).bind(id),
    ...CONFIGURATION.map(({ read }) => from.prepare(read()).bind(id)),
  ])) as [D1Result<Numbered>, ...D1Result<ItemRow>[]];
  const writes = CONFIGURATION.flatMap(({ write }, index) =>
    writesOf(
      [write()],
      (tables[index]?.results ?? []).map(({ item }) => item),
    ),
  );
  return {
    writes,
    progress: {
      ...copied(progress, tables.map(lengthOf)),
      step: 'subscriptions',
      configuredAt: newest.results[0]?.sequence ?? 0,
    },
  };
}

/**
 * What comes before rows that were read: the configuration once more, where it is newer than the one that was copied last.
 * They may refer to what is new in it. It is read behind them, and so knows all that they know.
 *
 * @param newest of the configuration, as it was when the rows were read
 */
async function configurationBefore(
  from: D1Database,
  id: number,
  progress: MoveProgress,
  newest: D1Result<Numbered>,
): Promise<Pick<Step, 'writes'> & Pick<MoveProgress, 'configuredAt'>> {
  if ((newest.results[0]?.sequence ?? 0) <= progress.configuredAt) {
    return { writes: [], configuredAt: progress.configuredAt };
  }
  const { writes, progress: after } = await readConfigurationStep(from, id, progress);
  return { writes, configuredAt: after.configuredAt };
}

/** Reads the next subscriptions, in the order of their numbers. */
export async function readSubscriptionsStep(
  from: D1Database,
  id: number,
  progress: MoveProgress,
): Promise<Step> {
  const [newest, { results }] = (await from.batch([
    from.prepare(NEWEST_CONFIGURATION()).bind(id),
    from.prepare(READ_SUBSCRIPTIONS()).bind(id, progress.subscription, SUBSCRIPTIONS_AT_ONCE),
  ])) as [D1Result<Numbered>, D1Result<SubscriptionRow>];
  const { writes, configuredAt } = await configurationBefore(from, id, progress, newest);
  const last = results.at(-1)?.number;
  const next = { ...copied(progress, [results.length]), configuredAt };
  return {
    writes: [...writes, ...subscriptionWrites(results)],
    progress:
      last === undefined || results.length < SUBSCRIPTIONS_AT_ONCE
        ? { ...next, step: 'journal' }
        : { ...next, subscription: last },
  };
}

interface SubscriptionRow extends ItemRow {
  readonly number: string;
}

/**
 * Reads the subscriptions without a plate that have changed since an instant. The journal is about plates: it does not tell
 * of them. To be read while the writes are stopped.
 */
export async function readPlatelessSubscriptions(
  from: D1Database,
  id: number,
  since: number,
): Promise<readonly Write[]> {
  const rows: ItemRow[] = [];
  for (let after = ''; ; ) {
    const { results } = await from
      .prepare(READ_PLATELESS())
      .bind(id, after, SUBSCRIPTIONS_AT_ONCE, since)
      .all<SubscriptionRow>();
    rows.push(...results);
    const last = results.at(-1)?.number;
    if (last === undefined || results.length < SUBSCRIPTIONS_AT_ONCE) {
      return subscriptionWrites(rows);
    }
    after = last;
  }
}

interface JournalRow extends ItemRow {
  readonly sequence: number;
  readonly kind: string;
  readonly key: string | null;
}

/**
 * Reads the next rows of the journal, and the sessions that they are of as they now stand; what has changed since the copy
 * was begun, once more. `isAtEnd`: the journal had no row behind them.
 */
export async function readJournalStep(
  from: D1Database,
  id: number,
  progress: MoveProgress,
): Promise<Step & { readonly isAtEnd: boolean }> {
  const after = progress.sequence;
  const range = [id, after, after + RANGE];
  const [newest, rows, sessions, subscriptions, newestConfiguration] = (await from.batch([
    from.prepare(NEWEST_SEQUENCE()),
    from.prepare(READ_JOURNAL()).bind(...range),
    from.prepare(READ_SESSIONS()).bind(...range),
    from.prepare(READ_CHANGED_SUBSCRIPTIONS()).bind(id, Math.max(after, progress.begunAt), after + RANGE),
    from.prepare(NEWEST_CONFIGURATION()).bind(id),
  ])) as [D1Result<Numbered>, D1Result<JournalRow>, D1Result<ItemRow>, D1Result<ItemRow>, D1Result<Numbered>];
  const end = Math.min(after + RANGE, newest.results[0]?.sequence ?? 0);
  const isAtEnd = end < after + RANGE;
  const upTo = isAtEnd ? Math.max(end, after) : beforeCutGroup(rows.results, after, end);
  const taken = rows.results.filter(({ sequence }) => sequence <= upTo);
  // How the sources' imports stand comes with the configuration.
  const hasImports = taken.some(({ sequence, kind }) => sequence > progress.begunAt && kind === 'import');
  const configuration = await configurationBefore(
    from,
    id,
    hasImports ? { ...progress, configuredAt: -1 } : progress,
    newestConfiguration,
  );
  return {
    isAtEnd,
    // What refers comes after what it refers to.
    writes: [
      ...configuration.writes,
      ...subscriptionWrites(subscriptions.results),
      ...writesOf(
        [WRITE_SESSIONS()],
        sessions.results.map(({ item }) => item),
      ),
      ...writesOf(
        [WRITE_JOURNAL()],
        taken.map(({ item }) => item),
      ),
    ],
    progress: {
      ...copied(progress, [taken.length, sessions.results.length]),
      sequence: upTo,
      configuredAt: configuration.configuredAt,
    },
  };
}

/** The number of the newest row of a journal. */
export async function newestSequence(db: D1Database): Promise<number> {
  const row = await db.prepare(NEWEST_SEQUENCE()).first<{ sequence: number | null }>();
  return row?.sequence ?? 0;
}

/**
 * A large configuration has several rows, which stand one behind the other: none of them is cut off from the first.
 *
 * @returns the last number to take
 */
function beforeCutGroup(rows: readonly JournalRow[], after: number, end: number): number {
  const last = rows.at(-1);
  const first = rows.findLast(({ kind, key }) => kind === 'configuration' && key === null);
  const isCut = last?.kind === 'configuration' && last.sequence === end && first !== undefined;
  return isCut && first.sequence - 1 > after ? first.sequence - 1 : end;
}

const subscriptionWrites = (rows: readonly ItemRow[]): Write[] =>
  writesOf(
    WRITE_SUBSCRIPTIONS.map((text) => text()),
    rows.map(({ item }) => item),
  );

/** Each statement for the same rows, as many rows at a time as a parameter takes. */
function writesOf(texts: readonly string[], items: readonly string[]): Write[] {
  const chunks: string[][] = [];
  let characters = MOST_CHARACTERS;
  for (const item of items) {
    if (characters + item.length > MOST_CHARACTERS) {
      chunks.push([]);
      characters = 0;
    }
    chunks.at(-1)?.push(item);
    characters += item.length;
  }
  return chunks.flatMap((chunk) => texts.map((text) => ({ text, rows: `[${chunk.join()}]` })));
}

const lengthOf = ({ results }: D1Result): number => results.length;

const copied = (progress: MoveProgress, counts: readonly number[]): MoveProgress => ({
  ...progress,
  copied: counts.reduce((sum, count) => sum + count, progress.copied),
});
