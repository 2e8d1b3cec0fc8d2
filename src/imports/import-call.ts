import type { Grant } from '../access/grant.ts';
import { withSubject } from '../errors/call-subject.ts';
import type { CredentialCallContext, LinesRequest } from '../pipeline/operation.ts';
import { withTimeout } from '../platform/deadline.ts';
import { chooseImportMunicipality } from './target.ts';
import type { Municipality } from './target-table.ts';

/** What a batch may take, retries included. */
const BATCH_MS = 10_000;

/** A call that imports a file: its request, what came with it, and what its credential may do. */
export interface ImportCall<Query = unknown> {
  readonly request: LinesRequest<Query>;
  readonly context: CredentialCallContext;
  readonly grant: Grant;
}

/** The outcome of one step at the database: it fails past a batch's time, and past the whole import's. */
export function inTime<T>({ context }: ImportCall, step: Promise<T>): Promise<T> {
  return context.deadline.race(withTimeout(BATCH_MS, step));
}

/**
 * Does the work of an import in the municipality that it is for. What the work throws is told to the call log with the
 * municipality.
 *
 * @param code the one that the call names, if any
 */
export async function inMunicipality<T>(
  call: ImportCall,
  code: string | undefined,
  work: (municipality: Municipality) => Promise<T>,
): Promise<T> {
  const municipality = await inTime(call, chooseImportMunicipality(call.context.env.DB, call.grant, code));
  return withSubject({ municipality: municipality.code }, () => work(municipality));
}
