import { zValidator } from '@hono/zod-validator';
import type { Context, MiddlewareHandler } from 'hono';
import type * as z from 'zod';
import { refuseFields } from '../../base/errors/refusal.ts';
import {
  announcedLength,
  jsonObjectOf,
  type ReadBody,
  readBody,
  requireContentType,
  requireWhole,
} from '../http/body.ts';
import { issuesOf } from '../http/validation.ts';
import type { AppEnv, Call } from './call.ts';
import { requireOfficer } from './officer-reference.ts';
import type { JsonBody, LinesRequest, Operation, ValidRequest } from './operation.ts';

/** The media type of a body of lines: a JSON object a line. */
export const NDJSON = 'application/x-ndjson';

/**
 * Reads and validates a request, in the order of the interface: content type, size, JSON, fields. Of a body of lines only
 * the content type is checked here; the operation reads the rest.
 *
 * @throws Refusal `INVALID_CONTENT_TYPE`, `PAYLOAD_TOO_LARGE`, `INVALID_JSON`, `INVALID_REQUEST`
 */
export async function readRequest(
  c: Context<AppEnv>,
  call: Call,
  operation: Operation,
): Promise<ValidRequest | LinesRequest> {
  const { body: rule, query, pathParameters } = operation;
  if (rule?.kind === 'lines') {
    requireContentType(call.request.headers, NDJSON);
    const path = await parseParameters(c, 'param', pathParameters);
    return { source: call.request, path, readQuery: () => parseParameters(c, 'query', query) };
  }
  if (rule !== null) {
    call.body = await readJson(call, rule);
  }
  if (operation.takesOfficer) {
    requireOfficer(call.request.headers);
  }
  return {
    body: rule === null ? undefined : call.body,
    query: await parseParameters(c, 'query', query),
    path: await parseParameters(c, 'param', pathParameters),
  };
}

async function readJson(call: Call, { schema, maxBytes, optional }: JsonBody): Promise<unknown> {
  // An absent body has no content type.
  const early = optional === true ? await readCounted(call, maxBytes) : null;
  if (early?.isWhole && early.bytes.byteLength === 0) {
    return parse(schema, {});
  }
  requireContentType(call.request.headers, 'application/json');
  return parse(schema, jsonObjectOf(requireWhole(early ?? (await readCounted(call, maxBytes)), maxBytes)));
}

/** Reads the body within the call's time. One that announces too many bytes is not waited for. */
async function readCounted(call: Call, maxBytes: number): Promise<ReadBody> {
  if (announcedLength(call.request) > maxBytes) {
    return { bytes: new Uint8Array(), isWhole: false };
  }
  call.reading = readBody(call.request, maxBytes);
  return call.deadline.race(call.reading);
}

function parse(schema: z.ZodType, value: unknown): unknown {
  const { success, data, error } = schema.safeParse(value);
  if (!success) {
    refuseFields(issuesOf(error.issues));
  }
  return data;
}

/** The query, or the parameters of the path. A query parameter given twice is refused: only one of them could count. */
async function parseParameters(
  c: Context<AppEnv>,
  target: 'query' | 'param',
  schema: z.ZodType | null,
): Promise<unknown> {
  if (schema === null) {
    return undefined;
  }
  let data: unknown;
  const validate = zValidator(target, schema, (result) => {
    if (!result.success) {
      refuseFields(issuesOf(result.error.issues));
    }
    ({ data } = result);
  });
  // It reads only the request; the bindings do not matter.
  await (validate as MiddlewareHandler<AppEnv>)(c, async () => {});
  return data;
}
