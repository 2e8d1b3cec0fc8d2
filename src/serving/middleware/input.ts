import { zValidator } from '@hono/zod-validator';
import type { Context, MiddlewareHandler } from 'hono';
import { createMiddleware } from 'hono/factory';
import type * as z from 'zod';
import type { core } from 'zod';
import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import { maskTokens } from '../../base/text/text.ts';
import { NDJSON } from '../answer.ts';
import type { AppEnv } from '../call.ts';
import type { JsonBody, LinesBody } from '../contract.ts';
import { readBody, requireContentType, textOf, tooLarge } from '../http/body.ts';
import { MAX_OFFICER_CHARACTERS } from '../http/response-fields.ts';
import { issuesOf } from '../http/validation.ts';

/**
 * Reads and validates a JSON body, in the order of the interface.
 *
 * @throws Refusal `INVALID_CONTENT_TYPE`, `PAYLOAD_TOO_LARGE`, `INVALID_JSON`, `INVALID_REQUEST`
 */
export function json({ schema, maxBytes, optional }: JsonBody): MiddlewareHandler<AppEnv> {
  const validate = validated('json', schema);
  return async (c, next) => {
    // The type of an optional body is checked after reading: clients announce any type when they send no body.
    if (!optional) requireJson(c);
    const bytes = await readBody(c, maxBytes).catch((error: unknown) => {
      requireJson(c);
      throw error;
    });
    const isAbsent = optional === true && bytes.byteLength === 0;
    if (optional && !isAbsent) requireJson(c);
    const text = isAbsent ? '{}' : textOf(bytes);
    requireObject(text);
    // The validator and the call log take it from here: Hono's own decoding would replace what is no UTF-8.
    Object.assign(c.req.bodyCache, { text: Promise.resolve(text) });
    return validate(c, next);
  };
}

const requireJson = (c: Context): void => requireContentType(c.req.raw.headers, 'application/json');

function requireObject(text: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    refuse('INVALID_JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse('INVALID_JSON');
}

/**
 * Requires a body of lines, which the handler reads.
 *
 * @throws Refusal `INVALID_CONTENT_TYPE`; `PAYLOAD_TOO_LARGE` for one that announces too many bytes
 */
export const lines = ({ maxBytes }: LinesBody): MiddlewareHandler<AppEnv> =>
  createMiddleware<AppEnv>(async (c, next) => {
    requireContentType(c.req.raw.headers, NDJSON);
    if (Number(c.req.header('Content-Length')) > maxBytes) refuse(tooLarge(maxBytes));
    await next();
  });

/**
 * Validates a body, a query or the parameters of a path. A query's parameter given twice is refused: only one of them could count.
 *
 * @throws Refusal `INVALID_REQUEST`
 */
export const validated = (
  target: 'json' | 'query' | 'param',
  schema: z.ZodObject,
): MiddlewareHandler<AppEnv> => zValidator(target, schema, refuseInvalid);

/** Refuses what a schema refuses. */
function refuseInvalid(result: { success: boolean; error?: { issues: core.$ZodIssue[] } }): void {
  if (result.error !== undefined) refuseFields(issuesOf(result.error.issues));
}

/** The header that says who looked: a badge's pseudonym. */
export const OFFICER_HEADER = 'Officer-Reference';

const VISIBLE = new RegExp(`^[!-~]{1,${MAX_OFFICER_CHARACTERS}}$`);

/**
 * Keeps who looked for the call log. An empty header is an absent one.
 *
 * @throws Refusal `INVALID_REQUEST` for a header that is no reference
 */
export const officer = createMiddleware<AppEnv>(async (c, next) => {
  const reference = c.req.header(OFFICER_HEADER) ?? '';
  if (reference !== '') {
    if (!VISIBLE.test(reference)) refuseFields([{ path: OFFICER_HEADER, message: NO_REFERENCE }]);
    c.get('log').officerReference = maskTokens(reference);
  }
  await next();
});

const NO_REFERENCE = {
  en: `must be 1 to ${MAX_OFFICER_CHARACTERS} visible ASCII characters`,
  it: `deve essere di 1-${MAX_OFFICER_CHARACTERS} caratteri ASCII visibili`,
};
