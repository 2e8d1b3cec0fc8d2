import { expect } from 'vitest';
import { Service } from '../support/service.ts';
import { type Issued, issue, outcomeOf } from './support.ts';

/** Two isolates that have seen the credential admitted a moment ago. */
const isolates = [new Service(), new Service()];

/** What every isolate says to a token. */
export const everywhere = (accessToken: string): Promise<string[]> =>
  Promise.all(isolates.map((isolate) => outcomeOf(isolate, accessToken)));

/** A credential that every isolate has let pass. */
export async function known(changed: Record<string, unknown> = {}): Promise<Issued> {
  const issued = await issue(new Service(), { rate_limit: { limit: 1000, window_seconds: 60 }, ...changed });
  expect(await everywhere(issued.accessToken)).toEqual(['200', '200']);
  return issued;
}
