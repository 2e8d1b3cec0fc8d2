import { methodNotAllowed as honoMethodNotAllowed } from 'hono/method-not-allowed';
import { Refusal } from '../../base/errors/refusal.ts';
import type { App } from '../call.ts';
import { fail } from './on-error.ts';

/** Answers a method that a path does not have: 405, with `Allow`. */
export const methodNotAllowed = (app: App) =>
  honoMethodNotAllowed({
    app,
    onMethodNotAllowed: (c, methods) => {
      const allow = methods.filter((method) => method !== 'HEAD').sort();
      return fail(c, new Refusal('METHOD_NOT_ALLOWED', { headers: { Allow: allow.join(', ') } }));
    },
  });
