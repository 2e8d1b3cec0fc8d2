import { createMiddleware } from 'hono/factory';
import { startAdmission } from '../access/admission.ts';
import { officeBounds, UNBOUNDED } from '../access/bounds.ts';
import { tokenOfAdministration } from '../access/presented-token.ts';
import type { AppEnv } from '../call.ts';
import type { AdministratorAccess } from '../contract.ts';

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
    const token = await tokenOfAdministration(c.env, c.req.raw.headers);
    if (token === null) {
      c.get('log').isAdmitted = true;
      c.set('bounds', Promise.resolve(UNBOUNDED));
    } else {
      const admission = startAdmission(c, token, { scope: ASKED[office], budget: 'office' });
      c.set('admission', admission);
      const bounds = admission.granted.then((grant) => officeBounds(c.env, grant));
      // If the call fails before it awaits them, this error is dropped.
      bounds.catch(() => {});
      c.set('bounds', bounds);
    }
    await next();
  });
