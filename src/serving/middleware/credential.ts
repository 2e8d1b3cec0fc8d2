import { createMiddleware } from 'hono/factory';
import { startAdmission } from '../access/admission.ts';
import { presentedToken } from '../access/presented-token.ts';
import type { AppEnv } from '../call.ts';
import type { CredentialAccess } from '../contract.ts';

/**
 * Recognises the token by its checksum, without any storage, and starts the admission at the credential's object. It does not
 * wait: the handler reads meanwhile, and awaits `c.get('admission').granted`. If anything is thrown before that,
 * `onError` asks the admission first, so that its refusal takes precedence.
 *
 * @throws Refusal `TOKEN_MISSING`, `TOKEN_INVALID`
 */
export const credential = (access: CredentialAccess) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const token = await presentedToken(c.req.raw.headers, access.tokenHeaders, c.env.TOKEN_KEY);
    c.set('admission', startAdmission(c, token, access));
    await next();
  });
