import { withSubject } from '../../base/errors/call-subject.ts';
import { Refusal } from '../../base/errors/refusal.ts';
import { retry, TRIES_WHILE_WAITING } from '../../storage/db/retry.ts';
import type { Admission } from '../access/admission.ts';
import { type Bounds, officeBounds } from '../access/bounds.ts';
import type { Grant } from '../access/grant.ts';
import {
  chooseMunicipality,
  type Finding,
  type FoundMunicipality,
  type MunicipalitySearch,
  searchGranted,
  settlesMunicipality,
} from '../lookups/municipality.ts';
import type { Handled, LinesRequest, Operation, ValidRequest } from './operation.ts';
import type {
  BoundedCallContext,
  CallContext,
  GrantedCallContext,
  MunicipalityCallContext,
  MunicipalityReading,
} from './reading.ts';

/** An operation's reading. `operation()` guarantees that its handler takes what it reads. */
type AnyReading = MunicipalityReading<unknown, unknown, FoundMunicipality>;

type Handle = (context: MunicipalityCallContext<unknown, FoundMunicipality>) => Promise<Handled>;

/**
 * Chooses the municipality of a call, reads it, and lets the handler judge what was read:
 *
 *     fields ─▶ read early, if the call names       admission ─▶ grant ─▶ the fields, by the grant
 *               its municipality                                               │
 *                        └──────────────┬─────────────────────────────────────┘
 *                     of exactly what is granted, and active?
 *                        │ yes                  │ no, or not read early
 *                        │                      ▼
 *                        │           read as granted
 *                        │                      ├─ 403, 422: none, or several
 *                        ▼                      ▼
 *                     handle ◀──────────────────┤
 *                        └─▶ the answer
 *
 * Facts that were read before the grant reach the handler only if they are of a granted municipality. So an
 * unknown code and another tenant's get the same answer after the same round trips.
 */
class MunicipalityStep {
  readonly #reading: AnyReading;
  readonly #request: unknown;
  readonly #context: CallContext;
  readonly #query: unknown;
  readonly #early: Promise<Finding> | null;

  /**
   * Begins to read, if the operation reads early and the call names its municipality.
   *
   * @throws Refusal of a field
   */
  constructor(reading: AnyReading, request: unknown, context: CallContext, admission: Admission) {
    this.#reading = reading;
    this.#request = request;
    this.#context = context;
    this.#query = reading.query(request, context);
    const code = reading.code(request) ?? null;
    this.#early =
      reading.early && code !== null
        ? admission.readEarly(() => this.#read({ by: 'code', code }, null))
        : null;
  }

  /** Lets the handler answer for the granted municipality. */
  async finish(grant: Grant, tokenHash: string, handle: Handle): Promise<Handled> {
    this.#reading.judgeByGrant?.(this.#request, grant, this.#context);
    const found = (await this.#settledEarly(grant)) ?? (await this.#read(searchGranted(grant), grant));
    const choice = chooseMunicipality(found, grant.municipalities);
    if ('refused' in choice) {
      return { refused: new Refusal(choice.refused) };
    }
    const municipality = choice.chosen;
    const subject = { municipality: municipality.code };
    const handled = await withSubject(subject, () =>
      handle({ ...this.#context, grant, tokenHash, query: this.#query, municipality }),
    );
    return 'asset' in handled ? handled : { ...subject, ...handled };
  }

  /** The early facts, if they cover exactly the granted municipalities. */
  async #settledEarly(grant: Grant): Promise<Finding | null> {
    if (this.#early === null || grant.municipalities.length === 0) {
      return null;
    }
    const found = await this.#early;
    return settlesMunicipality(found, grant) ? found : null;
  }

  #read(search: MunicipalitySearch, grant: Grant | null): Promise<Finding> {
    const { env, deadline } = this.#context;
    const read = () => this.#reading.read(env.DB, search, this.#query, grant);
    return deadline.race(this.#reading.retried ? retry(read, TRIES_WHILE_WAITING) : read());
  }
}

type AnyRequest = ValidRequest | LinesRequest;

/** The request is of the operation's own schemas, and the context of its access: exactly its parameters. */
export function run(operation: Operation, request: AnyRequest, context: CallContext): Promise<Handled> {
  return operation.handle(request as never, context as never);
}

/** Runs an administrator's operation. */
export function runWithin(
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
    const { whenDatabaseIsAway = 'fail' } = access;
    return async (grant) =>
      runWithin(
        await officeBounds(context.env, grant, context.deadline, whenDatabaseIsAway),
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
