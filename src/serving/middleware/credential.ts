import { createMiddleware } from 'hono/factory';
import { startAdmission } from '../access/admission.ts';
import { boundsOf, requireActiveTenant } from '../access/bounds.ts';
import { presentedToken, tokenOfAdministration } from '../access/presented-token.ts';
import type { AppEnv } from '../call.ts';
import type { AdministratorAccess, CredentialAccess } from '../contract.ts';

/**
 * Recognises the token by its checksum, without any storage, and starts the admission at the credential's object. It does not
 * wait: the handler reads meanwhile, and awaits `c.get('admission').granted`. If anything is thrown before that,
 * `onError` asks the admission first, so that its refusal takes precedence.
 *
 * @throws Refusal `TOKEN_MISSING`, `TOKEN_INVALID`
 */
export const credential = (access: CredentialAccess) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const token = presentedToken(c.req.raw.headers, access.tokenHeaders, c.env.TOKEN_KEY);
    c.set('admission', startAdmission(c, token, access));
    await next();
  });

/** The scope that a credential needs where an office may do this much. */
const ASKED = { nothing: 'administrator', reads: 'office_read', changes: 'office' } as const;

/**
 * Lets the administrator pass, or starts the admission of an office. The handler awaits `c.get('bounds')`: what the caller may
 * see and change.
 *
 * @throws Refusal `TOKEN_MISSING`, `TOKEN_INVALID`
 */
export const administration = ({ office }: AdministratorAccess) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const { DB } = c.env;
    const token = tokenOfAdministration(c.env, c.req.raw.headers);
    if (token === null) {
      c.get('log').isAdmitted = true;
      c.set('bounds', Promise.resolve(boundsOf(DB, null)));
    } else {
      const admission = startAdmission(c, token, { scope: ASKED[office], budget: 'office' });
      c.set('admission', admission);
      const bounds = admission.granted.then(async ({ tenantCode }) => {
        await requireActiveTenant(DB, tenantCode);
        return boundsOf(DB, tenantCode);
      });
      // If the call fails before it awaits them, this error is dropped.
      bounds.catch(() => {});
      c.set('bounds', bounds);
    }
    await next();
  });
