import { zValidator } from '@hono/zod-validator';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type * as z from 'zod';
import { Refusal, refuse } from '../../base/errors/refusal.ts';
import type { AppEnv, Validated } from '../call.ts';
import type { JsonBody } from '../contract.ts';
import { requireContentType, textOf, tooLarge } from '../http/body.ts';
import { refuseInvalid } from './parameters.ts';

/**
 * Reads and validates a JSON body, in the order of the interface.
 *
 * @throws Refusal `INVALID_CONTENT_TYPE`, `PAYLOAD_TOO_LARGE`, `INVALID_JSON`, `INVALID_REQUEST`
 */
export function json<Schema extends z.ZodObject>({
  schema,
  maxBytes,
  optional,
}: JsonBody<Schema>): MiddlewareHandler<AppEnv, string, Validated<'json', Schema>> {
  const limit = bodyLimit({
    maxSize: maxBytes,
    onError: (c) => {
      requireJson(c);
      throw tooLarge(maxBytes);
    },
  });
  const validate = zValidator<
    Schema,
    'json',
    AppEnv,
    string,
    typeof refuseInvalid,
    z.input<Schema>,
    z.output<Schema>,
    Validated<'json', Schema>
  >('json', schema, refuseInvalid);
  return async (c, next) => {
    // The type of an optional body is checked after reading: clients announce any type when they send no body.
    if (!optional) requireJson(c);
    await limit(c, async () => {}).catch(refuseBrokenOff);
    const bytes = await c.req.arrayBuffer().catch(refuseBrokenOff);
    if (optional && bytes.byteLength === 0) {
      c.req.addValidatedData('json', schema.parse({}));
      return next();
    }
    requireJson(c);
    // Hono's own decoding would replace what is no UTF-8, and take a response to do it.
    Object.assign(c.req.bodyCache, { text: Promise.resolve(textOf(bytes)) });
    if (!isObject(await c.req.json().catch(() => refuse('INVALID_JSON')))) refuse('INVALID_JSON');
    return validate(c, next);
  };
}

const requireJson = (c: Context): void => requireContentType(c.req.raw.headers, 'application/json');

/** A body whose reading fails was broken off by its client. */
const refuseBrokenOff = (error: unknown): never => {
  throw error instanceof Refusal ? error : new Refusal('INVALID_JSON');
};

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
