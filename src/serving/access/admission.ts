import type { Context } from 'hono';
import { Refusal, refuse, refuseFields } from '../../base/errors/refusal.ts';
import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import type { AppEnv } from '../call.ts';
import { clientAddress } from '../http/client-address.ts';
import { askObject } from './credential-objects.ts';
import type { AdmissionCall } from './credential-record.ts';
import {
  type Admission,
  type AdmissionAnswer,
  type Grant,
  type RateReport,
  rateLimitHeaders,
} from './grant.ts';
import type { AskedScope, BudgetName } from './scopes.ts';
import type { RecognisedToken } from './token.ts';

/** How a credential is admitted to an operation. */
interface AdmissionRule {
  readonly scope: AskedScope | null;
  readonly budget: BudgetName;
  readonly importsBeyondSource?: true;
}

/** Starts a call's admission; does not wait for it. The rest of the budget becomes headers of the answer. */
export function startAdmission(c: Context<AppEnv>, token: RecognisedToken, rule: AdmissionRule): Admission {
  const call: AdmissionCall = {
    token,
    scope: rule.scope,
    importsBeyondSource: rule.importsBeyondSource ?? false,
    address: clientAddress(c.req.raw.headers),
    budget: rule.budget,
  };
  const ask = (cost?: number, toPass?: number) =>
    askObject(
      c.env,
      token.credentialId,
      async (object): Promise<AdmissionAnswer> => object.admit(call, cost, toPass),
    );
  const refused = c.get('isolate').get(RefusedCallers);
  const mayReadEarly = !refused.has(token.hash, c.get('now'));
  let limit = 0;
  const granted = ask().then((answer) => {
    const grant = take(c, call, answer, (rate) => {
      limit = rate.limit;
    });
    refused.forget(token.hash);
    return grant;
  });
  granted.catch((error: unknown) => {
    if (error instanceof Refusal) refused.note(token.hash, c.get('now'));
  });
  return {
    token,
    granted,
    mayReadEarly,
    spend: async (cost, field) => {
      if (cost > limit) refuseFields([{ path: field, message: tooMany(limit) }]);
      if (cost > 1) take(c, call, await ask(cost - 1, cost));
    },
  };
}

/** @throws Refusal of the credential, or of its budget */
function take(
  c: Context<AppEnv>,
  { budget, token }: AdmissionCall,
  answer: AdmissionAnswer,
  onRate: (rate: RateReport) => void = () => {},
): Grant {
  const log = c.get('log');
  switch (answer.outcome) {
    case 'admitted': {
      const { grant, rate } = answer;
      log.credentialId = grant.credentialId;
      log.tenant = grant.tenantCode;
      log.isAdmitted = true;
      for (const [name, value] of Object.entries(rateLimitHeaders(budget, rate))) c.header(name, value);
      onRate(rate);
      return grant;
    }
    case 'limited':
      return refuse('RATE_LIMIT_EXCEEDED', {
        headers: {
          'Retry-After': String(answer.rate.resetSeconds),
          ...rateLimitHeaders(budget, answer.rate),
        },
      });
    case 'refused':
      log.credentialId = answer.by && token.credentialId;
      log.tenant = answer.by;
      return refuse(answer.code);
    default:
      return answer satisfies never;
  }
}

const tooMany = (limit: number) => ({
  en: `must name at most ${limit} plates: that is the limit of the credential`,
  it: `deve indicare al massimo ${limit} targhe: è il limite della credenziale`,
});

/** For how long after a refusal nothing is read early for the same caller. */
const REMEMBERED_MS = 10 * SECOND_MS;
/** An isolate serves few credentials at a time. */
const MAX_REMEMBERED = 1_000;

/** The callers that this isolate has seen refused, so that a flood of theirs costs no reads. */
class RefusedCallers {
  readonly #until = new Map<string, Instant>();

  has(tokenHash: string, now: Instant): boolean {
    const at = this.#until.get(tokenHash);
    return at !== undefined && now - at < REMEMBERED_MS;
  }

  note(tokenHash: string, now: Instant): void {
    if (this.#until.size >= MAX_REMEMBERED) this.#until.clear();
    this.#until.set(tokenHash, now);
  }

  forget(tokenHash: string): void {
    this.#until.delete(tokenHash);
  }
}
