import { Refusal, refuse, refuseFields } from '../../base/errors/refusal.ts';
import type { Deadline } from '../../base/platform/deadline.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { askObject, installInObject, OBJECT_TIMEOUT_MS } from './credential-objects.ts';
import type { AdmissionCall, BudgetName } from './credential-record.ts';
import { readCredentialRecord } from './credentials-table.ts';
import {
  type AdmissionAnswer,
  type RateReport,
  type RefusedCall,
  rateLimitHeaders,
} from './decide-admission.ts';
import type { Grant } from './grant.ts';
import type { IsolateMemory } from './isolate-memory.ts';

/**
 * How a recognised token is decided, while the facts of the call are read at the same time:
 *
 *     the credential's object ──┬─ admitted ─────────────────────────────▶ grant
 *       (asked for 500 ms)      ├─ limited ──────────────────────────────▶ 429
 *                               ├─ refused ──────────────────────────────▶ 401, 403
 *                               ├─ unknown: it takes the credential from
 *                               │  the row, and is asked once more ──────▶ as above, or 401
 *                               └─ away ───────────────────────────────▶ 500
 *
 * The facts that were read meanwhile are used only after the grant, and only within it.
 */
export interface Admission {
  readonly credentialId: string;
  /** SHA-256 of the token as it was sent, hexadecimal. */
  readonly tokenHash: string;
  /** Rejects with the refusal, or with the error that made the admission fail. */
  readonly granted: Promise<Grant>;
  /**
   * Starts reading while the admission is being decided. For a caller that was refused a moment ago nothing is read
   * until it is admitted, so that it costs no database reads.
   */
  readEarly<T>(read: () => Promise<T>): Promise<T>;
}

/** The input of the admission. */
interface AdmissionRequest extends AdmissionCall {
  readonly budget: BudgetName;
  readonly now: Instant;
  readonly deadline: Deadline;
}

/** An admitted call: its grant, and the rest of its budget. */
interface Admitted {
  readonly grant: Grant;
  readonly rate: RateReport;
}

/** A refusal by the credential's object. It names the caller for the call log, if the secret was correct. */
export class CredentialRefusal extends Refusal {
  readonly credentialId: string | null;
  readonly tenantCode: string | null;

  constructor({ code, tenantCode }: RefusedCall, credentialId: string) {
    super(code);
    this.credentialId = tenantCode === null ? null : credentialId;
    this.tenantCode = tenantCode;
  }
}

/**
 * Starts a call's admission; does not wait for it.
 *
 * @param onRate called with the rest of the budget as soon as the call is admitted
 */
export function startAdmission(
  env: Env,
  memory: IsolateMemory,
  request: AdmissionRequest,
  onRate: (rate: RateReport) => void,
): Admission {
  const key = `${request.token.hash} ${request.scope} ${request.importsBeyondSource} ${request.address}`;
  const waits = memory.wasRefused(key, request.now);
  const granted = admit(env, request).then(
    ({ grant, rate }) => {
      memory.forgetRefusal(key);
      onRate(rate);
      return grant;
    },
    (error: unknown) => {
      // A call over its budget counts too; a failure does not.
      if (error instanceof Refusal) {
        memory.rememberRefusal(key, request.now);
      }
      throw error;
    },
  );
  // If the call fails before it awaits the admission, this error is dropped.
  granted.catch(() => {});
  return {
    credentialId: request.token.credentialId,
    tokenHash: request.token.hash,
    granted,
    readEarly: (read) => {
      const reading = waits ? granted.then(read) : read();
      // If the call is refused, the read is not awaited: its error is dropped.
      reading.catch(() => {});
      return reading;
    },
  };
}

async function admit(env: Env, request: AdmissionRequest): Promise<Admitted> {
  const answer = await request.deadline.race(answerOf(env, request));
  switch (answer.outcome) {
    case 'admitted':
      return answer;
    case 'limited':
      return refuseLimited(request.budget, answer.rate);
    case 'refused':
      return refuse(new CredentialRefusal(answer, request.token.credentialId));
    case 'unknown':
      return refuse('TOKEN_INVALID');
    default:
      return answer satisfies never;
  }
}

async function answerOf(env: Env, request: AdmissionRequest): Promise<AdmissionAnswer> {
  const { token, scope, importsBeyondSource, address, cost, budget, deadline } = request;
  const call: AdmissionCall = { token, scope, importsBeyondSource, address, cost };
  const answer = await askObject(env, call, budget, deadline);
  return answer.outcome === 'unknown' ? takeFromDatabase(env, call, budget, deadline) : answer;
}

/** @throws Refusal `INVALID_REQUEST` for a call that costs more than the credential may ever spend in a window */
export function requireAffordable(cost: number, limit: number, field: string): void {
  if (cost > limit) {
    refuseFields([
      {
        path: field,
        message: {
          en: `must name at most ${limit} plates: that is the limit of the credential`,
          it: `deve indicare al massimo ${limit} targhe: è il limite della credenziale`,
        },
      },
    ]);
  }
}

const refuseLimited = (budget: BudgetName, rate: RateReport): never =>
  refuse('RATE_LIMIT_EXCEEDED', {
    headers: { 'Retry-After': String(rate.resetSeconds), ...rateLimitHeaders(budget, rate) },
  });

/** An object that has lost its credential, or never got it, reads it from the database. */
async function takeFromDatabase(
  env: Env,
  call: AdmissionCall,
  budget: BudgetName,
  deadline: Deadline,
): Promise<AdmissionAnswer> {
  const record = await readCredentialRecord(env.DB, call.token.credentialId);
  if (record === null) {
    return { outcome: 'unknown' };
  }
  await deadline.race(installInObject(env, record), OBJECT_TIMEOUT_MS);
  return askObject(env, call, budget, deadline);
}
