import { withSubject } from '../../base/errors/call-subject.ts';
import { withTimeout } from '../../base/platform/deadline.ts';
import { chooseGranted } from '../../serving/lookups/municipality.ts';
import type { LinesRequest } from '../../serving/pipeline/operation.ts';
import type { GrantedCallContext } from '../../serving/pipeline/reading.ts';
import { dropStatistics } from '../../storage/db/statistics-table.ts';
import { type Municipality, readMunicipalities } from './target-table.ts';

/** The time limit of a batch, with its retries. */
const BATCH_MS = 10_000;

/** A call that imports a file: its request and its context. */
export interface ImportCall<Query = unknown> {
  readonly request: LinesRequest<Query>;
  readonly context: GrantedCallContext;
}

/** Limits one step at the database to a batch's time, and to the rest of the import's. */
export function limitTime<T>({ context }: ImportCall, step: Promise<T>): Promise<T> {
  return context.deadline.race(withTimeout(BATCH_MS, step));
}

/**
 * Does the work of an import in its municipality. If the work throws, the call log has the municipality.
 *
 * @param code the one that the call names, if any
 */
export async function inMunicipality<T>(
  call: ImportCall,
  code: string | undefined,
  work: (municipality: Municipality) => Promise<T>,
): Promise<T> {
  const { env, grant } = call.context;
  const municipality = await limitTime(call, chooseGranted(env, grant, code, readMunicipalities));
  return withSubject({ municipality: municipality.code }, async () => {
    // Imports make tables grow far beyond their statistics.
    if (municipality.hasStatistics) await limitTime(call, dropStatistics(env.DB));
    return work(municipality);
  });
}
