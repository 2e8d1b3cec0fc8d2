import type { AppContext, AppMiddleware } from './context.ts';
import { Refusal } from './refusal.ts';

const KIB = 1024;
/** The largest body of a query, of the configuration, and of an import, in bytes. */
export const QUERY_BODY = 64 * KIB;
export const CONFIGURATION_BODY = 1024 * KIB;
export const IMPORT_BODY = 8 * 1024 * KIB;

/**
 * Reads a JSON body for the validator behind it. In this order: `INVALID_CONTENT_TYPE`, `PAYLOAD_TOO_LARGE`,
 * `INVALID_JSON` (empty, no UTF-8, no JSON, no object).
 */
export function jsonBody(maxBytes = QUERY_BODY): AppMiddleware {
  return async (c, next) => {
    requireContentType(c, 'application/json');
    const text = await readText(c, maxBytes);
    if (!isJsonObject(text)) {
      throw new Refusal('INVALID_JSON');
    }
    leaveForValidator(c, text);
    await next();
  };
}

/**
 * Puts the text where Hono's validator looks for it, since the stream is spent. Hono keeps a promise there, whatever
 * the property's type says.
 */
function leaveForValidator(c: AppContext, text: string): void {
  const cache: { text?: unknown } = c.req.bodyCache;
  cache.text = Promise.resolve(text);
}

/** Refuses any media type but the given one, and any charset but UTF-8, with `INVALID_CONTENT_TYPE`. */
export function requireContentType(c: AppContext, mediaType: string): void {
  const [type, ...parameters] = (c.req.header('Content-Type') ?? '').toLowerCase().split(';');
  const charsets = parameters.map(charsetOf).filter((charset) => charset !== null);
  if (type?.trim() !== mediaType || charsets.some((charset) => charset !== 'utf-8')) {
    throw new Refusal('INVALID_CONTENT_TYPE', {
      message: {
        en: `Content-Type: this operation takes ${mediaType} in UTF-8.`,
        it: `Content-Type: questa operazione accetta ${mediaType} in UTF-8.`,
      },
    });
  }
}

/**
 * The charset that a parameter of a media type names; null for another parameter. Taken apart by hand: an expression with
 * blanks, quotes and anything between could take minutes over a header that is made for it.
 */
function charsetOf(parameter: string): string | null {
  const [name = '', ...value] = parameter.split('=');
  return name.trim() === 'charset' ? value.join('=').trim().replace(/^"|"$/g, '') : null;
}

/**
 * The whole body as text.
 *
 * @throws Refusal `PAYLOAD_TOO_LARGE` as soon as it is known to be longer than `maxBytes`; `INVALID_JSON` where
 *   it breaks off, or is no UTF-8
 */
export async function readText(c: AppContext, maxBytes: number): Promise<string> {
  const bytes = await c.get('deadline').race(readBytes(c, maxBytes));
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new Refusal('INVALID_JSON');
  }
}

async function readBytes(c: AppContext, maxBytes: number): Promise<Uint8Array> {
  if (announcedLength(c.req.raw) > maxBytes) {
    throw tooLarge(maxBytes);
  }
  const { bytes, isWhole } = await readUpTo(c.req.raw, maxBytes).catch(brokenOff);
  const transcript = c.get('transcript');
  if (transcript !== undefined) {
    transcript.received = bytes;
  }
  if (!isWhole) {
    throw tooLarge(maxBytes);
  }
  return bytes;
}

/** A body that does not come to its end is the client's failure, and no reason to say that ours may pass. */
function brokenOff(): never {
  throw new Refusal('INVALID_JSON');
}

/** The first bytes of a body, `maxBytes` at most, and whether they are all of it. */
export async function readUpTo(
  request: Request,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly isWhole: boolean }> {
  // An announced length binds the runtime: no more than that arrives.
  if (announcedLength(request) <= maxBytes) {
    return { bytes: new Uint8Array(await request.arrayBuffer()), isWhole: true };
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > maxBytes) {
      break;
    }
  }
  return { bytes: joined(chunks, Math.min(length, maxBytes)), isWhole: length <= maxBytes };
}

/** In bytes; NaN, which compares false with every bound, where none is announced. */
export const announcedLength = ({ headers }: Request): number =>
  Number(headers.get('Content-Length') ?? Number.NaN);

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk.subarray(0, length - offset), offset);
    offset += chunk.byteLength;
  }
  return whole;
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** The refusal of a body that is larger than an operation takes. */
export function tooLarge(maxBytes: number): Refusal {
  const kib = maxBytes / KIB;
  return new Refusal('PAYLOAD_TOO_LARGE', {
    message: {
      en: `The body is larger than the ${kib} KiB that this operation takes.`,
      it: `Il corpo della richiesta supera i ${kib} KiB che questa operazione accetta.`,
    },
  });
}
