import { withSubject } from '../../base/errors/call-subject.ts';
import { withTimeout } from '../../base/platform/deadline.ts';
import { type ChosenMunicipality, chooseGranted } from '../../serving/lookups/located-municipality.ts';
import type { LinesRequest } from '../../serving/pipeline/operation.ts';
import type { GrantedCallContext } from '../../serving/pipeline/reading.ts';
import { refuseMoving } from '../../storage/databases/municipality-moving.ts';
import { dropStatistics } from '../../storage/databases/statistics-table.ts';
import { type Municipality, readMunicipalities } from './target-table.ts';

export type LocatedMunicipality = ChosenMunicipality<Municipality>;

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
  work: (located: LocatedMunicipality) => Promise<T>,
): Promise<T> {
  const located = await limitTime(
    call,
    chooseGranted(call.context, call.context.grant, code, readMunicipalities),
  );
  return withSubject({ municipality: located.municipality.code }, async () => {
    if (located.municipality.isStopped) {
      refuseMoving();
    }
    // Imports make tables grow far beyond their statistics.
    if (located.municipality.hasStatistics) await limitTime(call, dropStatistics(located.db));
    return work(located);
  });
}
