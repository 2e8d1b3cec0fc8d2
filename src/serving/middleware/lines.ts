import { createMiddleware } from 'hono/factory';
import { NDJSON } from '../answer.ts';
import type { AppEnv } from '../call.ts';
import type { LinesBody } from '../contract.ts';
import { announcedLength, requireContentType, tooLarge } from '../http/body.ts';

/**
 * Requires a body of lines, which the handler reads.
 *
 * @throws Refusal `INVALID_CONTENT_TYPE`; `PAYLOAD_TOO_LARGE` for one that announces too many bytes
 */
export const lines = ({ maxBytes }: LinesBody) =>
  createMiddleware<AppEnv>(async (c, next) => {
    requireContentType(c.req.raw.headers, NDJSON);
    if (announcedLength(c.req.raw) > maxBytes) throw tooLarge(maxBytes);
    await next();
  });
