import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { AppEnv } from './call.ts';

/** Answers a success: `body` after the envelope. */
export function succeed(c: Context<AppEnv>, body: object, status: ContentfulStatusCode = 200): Response {
  return send(c, JSON.stringify({ ...envelopeOf(c), ...body }), 'application/json', status);
}

/** {@link succeed}, of a JSON object that is written already. */
export function succeedWith(c: Context<AppEnv>, json: string): Response {
  const envelope = JSON.stringify(envelopeOf(c)).slice(0, -1);
  return send(c, `${envelope},${json.slice(1)}`, 'application/json');
}

/** Answers newline-delimited JSON. */
export const sendLines = (c: Context<AppEnv>, lines: string): Response => send(c, lines, NDJSON);

/** The media type of lines: a JSON object each. */
export const NDJSON = 'application/x-ndjson';

/** An answer that clients may keep, as text, with the tag of its version. */
export interface Versioned {
  readonly text: string;
  /** As the header `ETag` has it. */
  readonly etag: string;
}

/** How long a client may keep an answer before it asks whether it still holds: the counters change every minute. */
const ANSWER_KEPT_SECONDS = 30;

/**
 * Answers what clients may keep: 304 where the client has this version already.
 *
 * @param mediaType of an answer without the envelope; absent: with it
 * @param language of its text, where it is not the call's
 */
export function sendVersioned(
  c: Context<AppEnv>,
  { text, etag }: Versioned,
  mediaType?: string,
  language: string = c.get('language'),
): Response {
  c.header('ETag', etag);
  c.header('Cache-Control', `public, max-age=${ANSWER_KEPT_SECONDS}`);
  // A cached answer must not reach a reader of another language.
  c.header('Vary', 'Accept-Language');
  if (hasVersion(c, etag)) return c.body(null, 304);
  return mediaType === undefined ? succeedWith(c, text) : send(c, text, mediaType, 200, language);
}

/** How long a client may keep a file before it has to ask for a newer one. */
const FILE_KEPT_SECONDS = 300;

/**
 * Answers a file that was deployed with the Worker, or 304 if the client has this version already.
 *
 * @throws Error when the file was not deployed
 */
export async function sendFile(c: Context<AppEnv>, path: string, contentType: string): Promise<Response> {
  // Any host will do: only the path matters.
  const file = await c.env.ASSETS.fetch(`https://assets.local${path}`);
  const etag = file.headers.get('ETag');
  if (!file.ok || file.body === null || etag === null) {
    throw new Error(`the file ${path} was answered with ${file.status}`);
  }
  c.header('ETag', etag);
  c.header('Cache-Control', `public, max-age=${FILE_KEPT_SECONDS}`);
  if (hasVersion(c, etag)) {
    await file.body.cancel();
    return c.body(null, 304);
  }
  return c.body(file.body, 200, { 'Content-Type': contentType });
}

/** Whether the header `If-None-Match` names this tag. Compressing an answer on its way makes its tag a weak one. */
function hasVersion(c: Context<AppEnv>, etag: string): boolean {
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  const named = c.req.header('If-None-Match')?.split(',').map(opaque) ?? [];
  return named.includes('*') || named.includes(opaque(etag));
}

/** The first fields of every success. */
const envelopeOf = (c: Context<AppEnv>) => ({ success: true, ok: true, request_id: c.get('requestId') });

function send(
  c: Context<AppEnv>,
  text: string,
  type: string,
  status: ContentfulStatusCode = 200,
  language: string = c.get('language'),
): Response {
  return c.body(text, status, { 'Content-Type': type, 'Content-Language': language });
}
