import type { AppContext, AppMiddleware } from '../http/context.ts';
import { answerError } from '../http/envelope.ts';
import type { BudgetName } from './admission.ts';
import type { Scope } from './credential-record.ts';
import { admission } from './gatekeeper.ts';
import type { IsolateMemory } from './isolate-memory.ts';
import { presentedToken, type TokenHeaders } from './presented-token.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';

export interface AccessPolicy {
  readonly scope: Scope;
  readonly budget: BudgetName;
  readonly tokenHeaders: TokenHeaders;
  /** Whether calls go on from the database while the credential's object cannot be reached. */
  readonly fallsBack: boolean;
}

/**
 * Admits the call, or refuses it: 401, 403, 429.
 *
 * A credential that this isolate has seen admitted a moment ago does not wait: what comes behind runs beside its
 * admission, and whatever that has answered gives way to a refusal of the admission, which always comes first.
 */
export function authenticate(memory: IsolateMemory, policy: AccessPolicy): AppMiddleware {
  return async (c, next) => {
    const started = admission(c.env, memory, {
      token: await presentedToken(c, policy.tokenHeaders),
      scope: policy.scope,
      budget: policy.budget,
      fallsBack: policy.fallsBack,
      address: clientAddress(c),
      now: c.var.now,
      deadline: c.var.deadline,
      requestId: c.var.requestId,
      onRecognised: (credential) => {
        c.var.call.credentialId = credential.credentialId;
        c.var.call.tenant = credential.tenantCode;
      },
    });
    c.set('admission', started);
    if (started.presumed === null) {
      await started.settled;
    }
    await next();
    try {
      const { rate } = await started.settled;
      for (const [name, value] of Object.entries(rateLimitHeaders(policy.budget, rate))) {
        c.header(name, value);
      }
    } catch (refusal) {
      // What came behind may have waited for the admission, and answered its refusal already.
      if (c.error !== refusal) {
        c.res = answerError(c, refusal);
      }
    }
  };
}

/** `CF-Connecting-IP` alone: every other header of the kind is the client's to write. */
export function clientAddress(c: AppContext): string | null {
  return c.req.header('CF-Connecting-IP') ?? null;
}
