import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from './load.ts';
import type { Runtime } from './runtime.ts';

/** The rows of the call log are written a second after their call, or a little later. */
const LOG_WRITTEN_WITHIN_MS = 1_500;

/** What D1 says that something cost. */
export interface ReadCost {
  readonly rows: number;
  readonly roundTrips: number;
}

/** What the service reads for this call, once its isolate knows the credential. */
export async function costOf({ service, counted }: Runtime, target: Target): Promise<ReadCost> {
  const url = target.url.replace(service, counted);
  const ask = async () => {
    const { headers, body, status } = target;
    const response = await fetch(url, { method: 'POST', headers, body });
    await response.text();
    if (response.status !== status) {
      throw new Error(`${url} answers ${response.status}`);
    }
  };
  await ask();
  await sleep(LOG_WRITTEN_WITHIN_MS);
  await costSince(counted);
  await ask();
  return costSince(counted);
}

/** The rows of {@link costOf}. */
export const rowsReadBy = async (runtime: Runtime, target: Target): Promise<number> =>
  (await costOf(runtime, target)).rows;

/** What was read since this was asked last. */
export async function costSince(counted: string): Promise<ReadCost> {
  const response = await fetch(`${counted}/rows`);
  // What `counted.ts` answers.
  return (await response.json()) as ReadCost;
}
