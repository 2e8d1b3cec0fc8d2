import type { Context } from 'hono';
import { hasAdministration, requireAdministrator } from '../access/administrator.ts';
import { type Admission, CredentialRefusal, spendFurther, startAdmission } from '../access/admission.ts';
import type { RateReport } from '../access/decide-admission.ts';
import type { Grant } from '../access/grant.ts';
import { IsolateMemory } from '../access/isolate-memory.ts';
import { presentedToken } from '../access/presented-token.ts';
import { rateLimitHeaders } from '../access/rate-limit-headers.ts';
import type { CallLog } from '../call-log/call-log.ts';
import type { CallRecord } from '../call-log/call-record.ts';
import { loggedTarget } from '../call-log/masked-text.ts';
import { DatabaseLocations } from '../databases/database-locations.ts';
import { type CallSubject, FailureWithSubject } from '../errors/call-subject.ts';
import { assetResponse } from '../http/asset.ts';
import { clientAddress } from '../http/client-address.ts';
import { UnreadBodies } from '../http/unread-bodies.ts';
import type { Isolate } from '../platform/isolate.ts';
import { TenantTurns } from '../platform/tenant-turns.ts';
import { type AppEnv, beginCall, type Call } from './call.ts';
import { MunicipalityStep } from './municipality-step.ts';
import type { CredentialAccess, Handled, LinesRequest, Operation, ValidRequest } from './operation.ts';
import { readRequest } from './read-request.ts';
import type { CallContext, GrantedCallContext } from './reading.ts';
import { errorResponse, successResponse } from './respond.ts';
import { bodiesOf } from './whole-call.ts';

/** How long the admission waits for the municipality that the body names: a slow body must not delay a refusal. */
const NAMED_WITHIN_MS = 100;

type AnyRequest = ValidRequest | LinesRequest;

/**
 * The way of every call, from the request to the answer and the call log. Errors are reported in this order:
 *
 *     path (404) ─ method (405) ─ credential (401, 403) ─ budget (429) ─ content type (415) ─ size (413) ─ JSON (400)
 *     ─ fields (422) ─ what the operation itself finds
 *
 * The routes check path and method before a call gets here.
 */
export class Pipeline {
  readonly #callLog: CallLog;
  readonly #isolate: Isolate;
  readonly #memory: IsolateMemory;

  constructor(callLog: CallLog, isolate: Isolate) {
    this.#callLog = callLog;
    this.#isolate = isolate;
    this.#memory = isolate.get(IsolateMemory);
  }

  /** Answers a call of an operation. */
  answer(
    c: Context<AppEnv>,
    operation: Operation,
    pathHeaders: Readonly<Record<string, string>>,
  ): Promise<Response> {
    return this.#inCall(c, operation, pathHeaders, async (call) => {
      const handled = await this.#handle(c, call, operation);
      if ('asset' in handled) {
        return call.deadline.race(assetResponse(call.env.ASSETS, handled.asset, call.request, call.headers));
      }
      noteSubject(call, handled);
      if ('refused' in handled) {
        throw handled.refused;
      }
      call.log.outcome = handled.outcome ?? 'OK';
      return successResponse(call, operation, handled.answer);
    });
  }

  /** Answers a call that no operation takes: a refusal, a preflight, a page. */
  answerWith(
    c: Context<AppEnv>,
    pathHeaders: Readonly<Record<string, string>>,
    respond: (call: Call) => Promise<Response>,
  ): Promise<Response> {
    return this.#inCall(c, null, pathHeaders, respond);
  }

  async #inCall(
    c: Context<AppEnv>,
    operation: Operation | null,
    pathHeaders: Readonly<Record<string, string>>,
    work: (call: Call) => Promise<Response>,
  ): Promise<Response> {
    const call = beginCall(c, operation, pathHeaders);
    const response = await work(call).catch((error: unknown) => {
      if (error instanceof FailureWithSubject) {
        noteSubject(call, error.subject);
        return errorResponse(call, error.cause);
      }
      return errorResponse(call, error);
    });
    call.deadline.clear();
    await this.#record(call, operation, response.status);
    if (!response.ok || !call.request.bodyUsed) {
      await this.#isolate.get(UnreadBodies).drain(call.request, call.reading, call.startedAt);
    }
    return response;
  }

  async #handle(c: Context<AppEnv>, call: Call, operation: Operation): Promise<Handled> {
    switch (operation.access.by) {
      case 'anybody':
        return run(operation, await readRequest(c, call, operation), this.#contextOf(call));
      case 'administrator':
        if (!hasAdministration(call.env)) {
          // An unknown path, which leaves no row in the call log.
          call.log.operation = null;
        }
        await requireAdministrator(call.env, call.request.headers);
        noteTarget(call, operation.log?.target?.(c.req.param()) ?? null);
        return run(operation, await readRequest(c, call, operation), this.#contextOf(call));
      case 'credential':
        return this.#handleForCredential(c, call, operation, operation.access);
      default:
        return operation.access satisfies never;
    }
  }

  /**
   * The request is read before the admission, which is given the municipality that it names. What the operation reads early
   * is read while the admission is being decided. Errors of either wait for that decision.
   */
  async #handleForCredential(
    c: Context<AppEnv>,
    call: Call,
    operation: Operation,
    access: CredentialAccess,
  ): Promise<Handled> {
    const token = await presentedToken(
      call.request.headers,
      access.tokenHeaders,
      this.#memory,
      call.env.TOKEN_KEY,
    );
    const reading = readRequest(c, call, operation);
    const named = await call.deadline.race(reading, NAMED_WITHIN_MS).catch(() => null);
    const municipality = named && namedMunicipality(named);
    const cost = named === null ? 1 : costOf(operation, named);
    let limit = Number.POSITIVE_INFINITY;
    const onRate = (rate: RateReport): void => {
      ({ limit } = rate);
      Object.assign(call.headers, rateLimitHeaders(access.budget, rate));
    };
    const admission = startAdmission(
      call.env,
      this.#memory,
      {
        token,
        scope: access.scope,
        budget: access.budget,
        whenObjectIsAway: access.whenObjectIsAway,
        importsBeyondSource: access.importsBeyondSource ?? false,
        municipality,
        cost,
        address: clientAddress(call.request.headers),
        now: call.now,
        deadline: call.deadline,
        requestId: call.requestId,
      },
      onRate,
    );
    const begun = reading.then((request) => begin(operation, request, this.#contextOf(call), admission));
    // If the admission refuses, what was begun is dropped.
    begun.catch(() => {});
    const grant = await admission.granted.catch((error: unknown) => {
      if (error instanceof CredentialRefusal) {
        noteCaller(call, error);
        call.log.isLineOnly = error.isPastLimit;
      }
      throw error;
    });
    noteCaller(call, grant);
    this.#isolate.get(TenantTurns).noteCall(grant.tenantId);
    const finish = await begun;
    if (operation.cost !== null) {
      const further = {
        credentialId: token.credentialId,
        budget: access.budget,
        field: operation.cost.field,
      };
      await spendFurther(
        call.env,
        { ...further, cost: costOf(operation, await reading) },
        limit,
        call.deadline,
        onRate,
      );
    }
    return finish(grant);
  }

  #contextOf({ env, now, requestId, language, deadline, waitUntil }: Call): CallContext {
    return { env, now, requestId, language, deadline, waitUntil, isolate: this.#isolate };
  }

  async #record(call: Call, operation: Operation | null, httpStatus: number): Promise<void> {
    const durationMs = Math.round(performance.now() - call.startedAt);
    const finished: CallRecord = {
      ...call.log,
      requestId: call.requestId,
      at: call.now,
      address: clientAddress(call.request.headers),
      httpStatus,
      durationMs,
    };
    const { env, waitUntil } = call;
    if (operation?.log?.whole === undefined) {
      this.#callLog.record(finished, env, { waitUntil }, this.#isolate.get(DatabaseLocations));
      return;
    }
    const leftMs = operation.log.whole.answerWithinMs - durationMs;
    await this.#callLog.recordWhole(
      finished,
      (arriveWithinMs) => bodiesOf(call, httpStatus, arriveWithinMs),
      leftMs,
      env,
      { waitUntil },
      this.#isolate.get(DatabaseLocations),
    );
  }
}

/** The request is of the operation's own schemas, and the context of its access: exactly what it takes. */
function run(operation: Operation, request: AnyRequest, context: CallContext): Promise<Handled> {
  return operation.handle(request as never, context as never);
}

/**
 * Begins what an operation may do before the grant, and returns the function that finishes it.
 *
 * @throws Refusal of a field
 */
function begin(
  operation: Operation,
  request: AnyRequest,
  context: CallContext,
  admission: Admission,
): (grant: Grant) => Promise<Handled> {
  const { reads } = operation;
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

function noteSubject({ log }: Call, { municipality, tenant, target, plate, plates }: CallSubject): void {
  log.municipalityCode = municipality ?? log.municipalityCode;
  log.tenant = tenant ?? log.tenant;
  noteTarget({ log }, target ?? log.target);
  log.plate = plate ?? log.plate;
  log.plates = plates ?? log.plates;
}

function noteTarget({ log }: Pick<Call, 'log'>, target: string | null): void {
  log.target = target === null ? null : loggedTarget(target);
}

/** Notes the credential for the call log, once its secret has proved right. */
function noteCaller(
  { log }: Call,
  { credentialId, tenantCode }: { readonly credentialId: string | null; readonly tenantCode: string | null },
): void {
  log.credentialId = credentialId;
  log.tenant = tenantCode;
}

/** What a call takes from its budget. The request is of the operation's own schemas. */
function costOf({ cost }: Operation, request: AnyRequest): number {
  return cost === null || 'source' in request ? 1 : cost.of(request.body as never);
}

/** The code that a request names, in its body or its query. A body of lines names none before it is read. */
function namedMunicipality(request: AnyRequest): string | null {
  if ('source' in request) {
    return null;
  }
  const { body, query } = request as { body?: WithMunicipality; query?: WithMunicipality };
  return body?.municipality_code ?? query?.municipality_code ?? null;
}

interface WithMunicipality {
  readonly municipality_code?: string | null;
}
