import type { Context } from 'hono';
import { type CallSubject, FailureWithSubject } from '../../base/errors/call-subject.ts';
import { withTimeout } from '../../base/platform/deadline.ts';
import type { Isolate } from '../../base/platform/isolate.ts';
import { TenantTurns } from '../../base/platform/turns.ts';
import { normalizePlate } from '../../domain/plate.ts';
import type { CallLog } from '../../storage/call-log/call-log.ts';
import { type CallRecord, isRefused, type WholeCall } from '../../storage/call-log/call-record.ts';
import { loggedTarget, maskedText } from '../../storage/call-log/masked-text.ts';
import { CredentialRefusal, requireAffordable, startAdmission } from '../access/admission.ts';
import { UNBOUNDED } from '../access/bounds.ts';
import { type RateReport, rateLimitHeaders } from '../access/decide-admission.ts';
import { narrowTo } from '../access/grant.ts';
import { IsolateMemory } from '../access/isolate-memory.ts';
import { presentedToken, tokenOfAdministration } from '../access/presented-token.ts';
import type { RecognisedToken } from '../access/token.ts';
import { assetResponse } from '../http/asset.ts';
import { readBody } from '../http/body.ts';
import { clientAddress } from '../http/client-address.ts';
import { type AppEnv, beginCall, type Call } from './call.ts';
import { begin, costOf, namedMunicipality, run, runWithin } from './handling.ts';
import {
  type AdministratorAccess,
  type AdmissionRule,
  type Handled,
  type Operation,
  officeRule,
} from './operation.ts';
import { readRequest } from './read-request.ts';
import type { CallContext } from './reading.ts';
import { errorResponse, successResponse } from './respond.ts';

/** How much the log keeps of a refused request, in bytes: the sender may want to fill the log. */
const REFUSED_BODY = 2 * 1024;

/** The most characters that are kept of each field past the day's bound. A plate is shorter, and so is every code. */
const MAX_OF_A_FIELD = 80;

const NO_BODIES = { request: null, response: null };

/**
 * What the log keeps of both sides of a call, masked: of a call that was refused, the first 2 KiB of the
 * request; of a body that is not UTF-8, its readable characters.
 *
 * @param status the status of the answer
 * @param arriveWithinMs how long the body may still take to arrive
 */
async function bodiesOf(
  call: Call,
  status: number,
  arriveWithinMs: number,
): Promise<Pick<WholeCall, 'request' | 'response' | 'pastBound'>> {
  const bytes = await bytesOf(call, arriveWithinMs);
  const request =
    bytes && maskedText(readable(bytes, isRefused(status) ? REFUSED_BODY : Number.POSITIVE_INFINITY));
  const response = call.answered && maskedText(call.answered);
  const pastBound = isRefused(status) ? NO_BODIES : { request: knownFieldsOf(call), response };
  return { request, response, pastBound };
}

/** The fields that the operation knows, each in a bounded form: as it was sent, a plate may be mostly hyphens. */
const knownFieldsOf = ({ body }: Call): string | null =>
  body === null ? null : maskedText(JSON.stringify(body, boundedField));

function boundedField(name: string, value: unknown): unknown {
  if (typeof value !== 'string') {
    return value;
  }
  const text = (name === 'plate' ? normalizePlate(value) : null) ?? value;
  return [...text].slice(0, MAX_OF_A_FIELD).join('');
}

/** @returns null for a body that broke off, or that did not arrive in time */
async function bytesOf(call: Call, arriveWithinMs: number): Promise<Uint8Array | null> {
  try {
    const { bytes } = await withTimeout(arriveWithinMs, call.reading ?? readBody(call.request, REFUSED_BODY));
    return bytes;
  } catch {
    return null;
  }
}

/**
 * The first bytes as text that takes no more room. In a body that is not UTF-8 a question mark replaces each
 * unreadable byte, since U+FFFD would take three bytes for one.
 */
function readable(body: Uint8Array, maxBytes: number): string {
  const bytes = body.subarray(0, maxBytes);
  // A character that the cut splits is left out; the rest still counts as UTF-8.
  const options = { stream: bytes.byteLength === maxBytes };
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes, options);
  } catch {
    return new TextDecoder().decode(bytes, options).replaceAll('\uFFFD', '?');
  }
}

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
    return response;
  }

  async #handle(c: Context<AppEnv>, call: Call, operation: Operation): Promise<Handled> {
    switch (operation.access.by) {
      case 'anybody':
        return run(operation, await readRequest(c, call, operation), this.#contextOf(call));
      case 'administrator':
        return this.#handleAdministration(c, call, operation, operation.access);
      case 'credential': {
        const { tokenHeaders } = operation.access;
        const { headers } = call.request;
        const token = await presentedToken(headers, tokenHeaders, this.#memory, call.env.TOKEN_KEY);
        return this.#handleForCredential(c, call, operation, operation.access, token);
      }
      default:
        return operation.access satisfies never;
    }
  }

  async #handleAdministration(
    c: Context<AppEnv>,
    call: Call,
    operation: Operation,
    access: AdministratorAccess,
  ): Promise<Handled> {
    const token = await tokenOfAdministration(call.env, call.request.headers, this.#memory);
    noteTarget(call, operation.log?.target?.(c.req.param()) ?? null);
    return token === null
      ? runWithin(UNBOUNDED, operation, await readRequest(c, call, operation), this.#contextOf(call))
      : this.#handleForCredential(c, call, operation, officeRule(access), token);
  }

  /**
   * The request is read while the admission is being decided, and so is what the operation reads early. Errors of either wait
   * for that decision. Only where a call's cost depends on its fields does the admission wait for them.
   */
  async #handleForCredential(
    c: Context<AppEnv>,
    call: Call,
    operation: Operation,
    access: AdmissionRule,
    token: RecognisedToken,
  ): Promise<Handled> {
    const reading = readRequest(c, call, operation);
    const cost =
      operation.cost === null
        ? 1
        : await reading.then(
            (request) => costOf(operation, request),
            () => 1,
          );
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
        importsBeyondSource: access.importsBeyondSource ?? false,
        cost,
        address: clientAddress(call.request.headers),
        now: call.now,
        deadline: call.deadline,
      },
      onRate,
    );
    const begun = reading.then((request) => begin(operation, request, this.#contextOf(call), admission));
    // If the admission refuses, the early reads are dropped.
    begun.catch(() => {});
    const grant = await admission.granted.catch((error: unknown) => {
      if (error instanceof CredentialRefusal) {
        noteCaller(call, error);
        call.log.isLineOnly = true;
      }
      throw error;
    });
    noteCaller(call, grant);
    this.#isolate.get(TenantTurns).noteCall(grant.tenantId);
    const finish = await begun;
    const request = await reading;
    if (operation.cost !== null) {
      requireAffordable(cost, limit, operation.cost.field);
    }
    return finish(narrowTo(namedMunicipality(request), grant));
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
      this.#callLog.record(finished, env, { waitUntil });
      return;
    }
    const leftMs = operation.log.whole.answerWithinMs - durationMs;
    await this.#callLog.recordWhole(
      finished,
      (arriveWithinMs) => bodiesOf(call, httpStatus, arriveWithinMs),
      leftMs,
      env,
      { waitUntil },
    );
  }
}

function noteSubject({ log }: Call, { municipality, tenant, target, plate, plates }: CallSubject): void {
  log.municipalityCode = municipality ?? log.municipalityCode;
  // An office's call is its tenant's, whichever tenant it names.
  log.tenant = log.credentialId === null ? (tenant ?? log.tenant) : log.tenant;
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
