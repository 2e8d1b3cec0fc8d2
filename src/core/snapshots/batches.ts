import type { ListedMunicipality } from './municipality-rows-table.ts';

/**
 * The size of a batch: small enough that the database can answer others in between and that the sessions fit into
 * memory, large enough that 1,000 municipalities take far fewer than the 1,000 queries that D1 allows an invocation.
 */
const MAX_MUNICIPALITIES = 25;
const MAX_AREAS = 1_000;
/** To find one failing municipality of 25 takes about ten reads of four queries: all retries stay far below 1,000. */
const MAX_RETRIES = 100;
/** After this many failures of single municipalities in a row, the database itself cannot be reached. */
const MAX_FAILURES_IN_A_ROW = 5;

/** Splits municipalities into batches that are read at once. A large one is a batch of its own. */
export function batchesOf<Municipality extends ListedMunicipality>(
  municipalities: readonly Municipality[],
): Municipality[][] {
  const batches: Municipality[][] = [];
  let areas = 0;
  for (const municipality of municipalities) {
    const batch = batches.at(-1);
    areas += municipality.areasCount;
    if (batch !== undefined && batch.length < MAX_MUNICIPALITIES && areas <= MAX_AREAS) {
      batch.push(municipality);
    } else {
      batches.push([municipality]);
      areas = municipality.areasCount;
    }
  }
  return batches;
}

/** How much memory a batch takes, as a share of the largest. */
export const shareOf = (batch: readonly ListedMunicipality[]): number =>
  Math.max(
    batch.length / MAX_MUNICIPALITIES,
    batch.reduce((areas, { areasCount }) => areas + areasCount, 0) / MAX_AREAS,
  );

interface FailedBatch<Item> {
  readonly batch: readonly Item[];
  readonly error: unknown;
}

/**
 * Processes every batch once. Each failed batch is then retried in halves, and their halves, until only the items that
 * really fail are left, so that they do not hold up the others. If too many fail, the remaining retries are skipped.
 *
 * @param process processes a whole batch, or throws
 * @param giveUp called for each batch that is not processed, with the reason
 * @param isOver whether the time is up: then nothing is retried
 */
export async function processBatches<Item>(
  batches: Iterable<readonly Item[]>,
  process: (batch: readonly Item[]) => Promise<void>,
  giveUp: (batch: readonly Item[], error: unknown) => void,
  isOver: () => boolean = () => false,
): Promise<void> {
  const failed: FailedBatch<Item>[] = [];
  const succeeds = async (batch: readonly Item[]): Promise<boolean> => {
    try {
      await process(batch);
      return true;
    } catch (error) {
      failed.push({ batch, error });
      return false;
    }
  };
  for (const batch of batches) {
    await succeeds(batch);
  }
  let retries = 0;
  let failuresInARow = 0;
  for (let next = failed.pop(); next !== undefined; next = failed.pop()) {
    const { batch, error } = next;
    const hasFailed = batch.length === 1 || failuresInARow >= MAX_FAILURES_IN_A_ROW;
    if (hasFailed || retries >= MAX_RETRIES || isOver()) {
      giveUp(batch, error);
      continue;
    }
    for (const half of halvesOf(batch)) {
      retries += 1;
      const succeeded = await succeeds(half);
      failuresInARow = succeeded ? 0 : failuresInARow + (half.length === 1 ? 1 : 0);
    }
  }
}

function halvesOf<Item>(batch: readonly Item[]): [readonly Item[], readonly Item[]] {
  const middle = Math.ceil(batch.length / 2);
  return [batch.slice(0, middle), batch.slice(middle)];
}
