import type { Context } from 'hono';
import { Refusal, refuse, refuseFields } from '../../base/errors/refusal.ts';
import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import type { AppEnv } from '../call.ts';
import { askObject } from './credential-objects.ts';
import type { AdmissionCall } from './credential-record.ts';
import type { AdmissionAnswer, Grant, RateReport } from './grant.ts';
import type { BudgetName } from './scopes.ts';
import type { RecognisedToken } from './token.ts';

/** A call's admission, which its credential's object is deciding. */
export interface Admission {
  readonly token: RecognisedToken;
  /** Rejects with the refusal, or with what made it fail; settles within a second by itself. */
  readonly granted: Promise<Grant>;
  /** Whether facts may be read before the grant: not for a caller that was refused a moment ago. */
  readonly mayReadEarly: boolean;
  /**
   * Takes more from the budget of an admitted call.
   *
   * @param cost of the call in all; one is taken already
   * @param field of the request that says so
   * @throws Refusal `RATE_LIMIT_EXCEEDED`; `INVALID_REQUEST` for more than the credential may ever spend in a window
   */
  readonly spend: (cost: number, field: string) => Promise<void>;
}

/** What an operation asks of a credential. */
type AdmissionRule = Pick<AdmissionCall, 'scope' | 'budget'> & Partial<AdmissionCall>;

/** For how long after a refusal nothing is read early for the same caller. */
const REMEMBERED_MS = 10 * SECOND_MS;
/** An isolate serves few credentials at a time. */
const MAX_REMEMBERED = 1_000;

/** When this isolate last saw callers refused, by the hashes of their tokens: a flood of theirs costs no reads. */
class RefusedCallers extends Map<string, Instant> {}

/** Starts a call's admission; does not wait for it. The rest of the budget becomes headers of the answer. */
export function startAdmission(
  c: Context<AppEnv>,
  token: RecognisedToken,
  { scope, budget, importsBeyondSource = false }: AdmissionRule,
): Admission {
  const call: AdmissionCall = { token, scope, budget, importsBeyondSource, address: c.get('log').address };
  const ask = (cost?: number, toPass?: number) =>
    askObject(
      c.env,
      token.credentialId,
      async (object): Promise<AdmissionAnswer> => object.admit(call, cost, toPass),
    );
  const now = c.get('now');
  const refusals = c.get('isolate').get(RefusedCallers);
  const refusedAt = refusals.get(token.hash) ?? Number.NEGATIVE_INFINITY;
  let limit = 0;
  const granted = ask().then((answer) => {
    const { grant, rate } = take(c, call, answer);
    limit = rate.limit;
    refusals.delete(token.hash);
    return grant;
  });
  granted.catch((error: unknown) => {
    if (!(error instanceof Refusal)) return;
    if (refusals.size >= MAX_REMEMBERED) refusals.clear();
    refusals.set(token.hash, now);
  });
  return {
    token,
    granted,
    mayReadEarly: now - refusedAt >= REMEMBERED_MS,
    spend: async (cost, field) => {
      if (cost > limit) refuseFields([{ path: field, message: tooMany(limit) }]);
      if (cost > 1) take(c, call, await ask(cost - 1, cost));
    },
  };
}

/** @throws Refusal of the credential, or of its budget */
function take(c: Context<AppEnv>, { budget, token }: AdmissionCall, answer: AdmissionAnswer) {
  const log = c.get('log');
  if (answer.outcome === 'refused') {
    log.credentialId = answer.by && token.credentialId;
    log.tenant = answer.by;
    return refuse(answer.code);
  }
  const headers = rateLimitHeaders(budget, answer.rate);
  if (answer.outcome === 'limited') {
    return refuse('RATE_LIMIT_EXCEEDED', {
      headers: { 'Retry-After': String(answer.rate.resetSeconds), ...headers },
    });
  }
  log.credentialId = answer.grant.credentialId;
  log.tenant = answer.grant.tenantCode;
  log.isAdmitted = true;
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  return answer;
}

/** `RateLimit` and `RateLimit-Policy` of the IETF draft: the budget's name, its rest, and until when. */
const rateLimitHeaders = (
  budget: BudgetName,
  { limit, windowSeconds, remaining, resetSeconds }: RateReport,
): Record<string, string> => ({
  'RateLimit-Policy': `"${budget}";q=${limit};w=${windowSeconds}`,
  RateLimit: `"${budget}";r=${remaining};t=${resetSeconds}`,
});

const tooMany = (limit: number) => ({
  en: `must name at most ${limit} plates: that is the limit of the credential`,
  it: `deve indicare al massimo ${limit} targhe: è il limite della credenziale`,
});
