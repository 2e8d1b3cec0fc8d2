import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from './load.ts';
import type { Runtime } from './runtime.ts';

/** The rows of the call log are written a second after their call, or a little later. */
const LOG_WRITTEN_WITHIN_MS = 1_500;

/** Rows that D1 says the service reads for this call, once its isolate knows the credential. */
export async function rowsReadBy({ service, counted }: Runtime, target: Target): Promise<number> {
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
  await rowsReadSince(counted);
  await ask();
  return rowsReadSince(counted);
}

/** Rows read since this was asked last. */
export async function rowsReadSince(counted: string): Promise<number> {
  const response = await fetch(`${counted}/rows`);
  // What `counted.ts` answers.
  const { rows } = (await response.json()) as { readonly rows: number };
  return rows;
}
