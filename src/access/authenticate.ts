import { clientAddress } from '../http/client-address.ts';
import type { AppMiddleware } from '../http/context.ts';
import { answerError } from '../http/envelope.ts';
import type { BudgetName } from './admission.ts';
import type { Scope } from './credential-record.ts';
import { admission } from './gatekeeper.ts';
import type { IsolateMemory } from './isolate-memory.ts';
import { presentedToken, type TokenHeaders } from './presented-token.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';

export interface AccessPolicy {
  readonly scope: Scope;
  /** Whether the operation imports anything but one source's sessions. */
  readonly importsBeyondSource?: boolean;
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
    const call = c.get('call');
    const started = admission(c.env, memory, {
      token: await presentedToken(c, memory, policy.tokenHeaders),
      scope: policy.scope,
      importsBeyondSource: policy.importsBeyondSource ?? false,
      budget: policy.budget,
      fallsBack: policy.fallsBack,
      address: clientAddress(c),
      now: c.get('now'),
      deadline: c.get('deadline'),
      requestId: c.get('requestId'),
      onRecognised: (credential) => {
        call.credentialId = credential.credentialId;
        call.tenant = credential.tenantCode;
      },
      onRefusedPastLimit: () => {
        call.isLineOnly = true;
      },
    });
    c.set('admission', started);
    started.settled.then(
      ({ rate }) => Object.assign(c.get('headers'), rateLimitHeaders(policy.budget, rate)),
      // A refusal is answered below.
      () => {},
    );
    if (started.presumed === null) {
      await started.settled;
    }
    await next();
    try {
      const { rate } = await started.settled;
      if (!c.res.headers.has('RateLimit')) {
        // What came behind has failed before the admission stood.
        for (const [name, value] of Object.entries(rateLimitHeaders(policy.budget, rate))) {
          c.header(name, value);
        }
      }
    } catch (refusal) {
      // What came behind may have waited for the admission, and answered its refusal already.
      if (c.error !== refusal) {
        // Nothing of that answer may stay, its headers neither.
        c.res = undefined;
        c.res = answerError(c, refusal);
      }
    }
  };
}
