import type { Admission } from '../access/admission.ts';
import { type Bounds, officeBounds, UNBOUNDED } from '../access/bounds.ts';
import type { Grant } from '../access/grant.ts';
import { MunicipalityStep } from './municipality-step.ts';
import type { Handled, LinesRequest, Operation, ValidRequest } from './operation.ts';
import type { BoundedCallContext, CallContext, GrantedCallContext } from './reading.ts';

export type AnyRequest = ValidRequest | LinesRequest;

/** The request is of the operation's own schemas, and the context of its access: exactly its parameters. */
export function run(operation: Operation, request: AnyRequest, context: CallContext): Promise<Handled> {
  return operation.handle(request as never, context as never);
}

/** Runs an administrator's operation for the administrator. */
export const runUnbounded = (
  operation: Operation,
  request: AnyRequest,
  context: CallContext,
): Promise<Handled> => runWithin(UNBOUNDED, operation, request, context);

function runWithin(
  bounds: Bounds,
  operation: Operation,
  request: AnyRequest,
  context: CallContext,
): Promise<Handled> {
  const bounded: BoundedCallContext = { ...context, bounds };
  return run(operation, request, bounded);
}

/**
 * Begins what an operation may do before the grant, and returns the function that finishes it.
 *
 * @throws Refusal of a field
 */
export function begin(
  operation: Operation,
  request: AnyRequest,
  context: CallContext,
  admission: Admission,
): (grant: Grant) => Promise<Handled> {
  const { access, reads } = operation;
  if (access.by === 'administrator') {
    const { whenHomeIsAway = 'fail' } = access;
    return async (grant) =>
      runWithin(
        await officeBounds(context.env, grant, context.deadline, whenHomeIsAway),
        operation,
        request,
        context,
      );
  }
  const { tokenHash } = admission;
  // Each reading is made for the request of its own operation.
  switch (reads?.kind) {
    case undefined:
      return (grant) => run(operation, request, { ...context, grant, tokenHash } as GrantedCallContext);
    case 'early': {
      const early = admission.readEarly(() => reads.read(request as never, context));
      return (grant) =>
        run(operation, request, { ...context, grant, tokenHash, early } as GrantedCallContext);
    }
    case 'municipality': {
      const step = new MunicipalityStep(reads as never, request, context, admission);
      return (grant) => step.finish(grant, tokenHash, (chosen) => run(operation, request, chosen));
    }
    default:
      return reads satisfies never;
  }
}

/** A call's cost in its budget. The request is of the operation's own schemas. */
export function costOf({ cost }: Operation, request: AnyRequest): number {
  return cost === null || 'source' in request ? 1 : cost.of(request.body as never);
}

/** The code that a request names, in its body or its query. A body of lines names none before it is read. */
export function namedMunicipality(request: AnyRequest): string | null {
  if ('source' in request) {
    return null;
  }
  const { body, query } = request as { body?: WithMunicipality; query?: WithMunicipality };
  return body?.municipality_code ?? query?.municipality_code ?? null;
}

interface WithMunicipality {
  readonly municipality_code?: string | null;
}
