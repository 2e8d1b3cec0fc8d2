import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { Refusal, refuse } from '../../base/errors/refusal.ts';

const KIB = 1024;
/** The largest body of a meter, of any other query, of the configuration, and of an import or a restore, in bytes. */
export const METER_BODY = 2 * KIB;
export const QUERY_BODY = 64 * KIB;
export const CONFIGURATION_BODY = 1024 * KIB;
export const IMPORT_BODY = 8 * 1024 * KIB;

/** @throws Refusal `INVALID_CONTENT_TYPE` for any media type but this one, and for any charset but UTF-8 */
export function requireContentType(headers: Headers, mediaType: string): void {
  const [type, ...parameters] = (headers.get('Content-Type') ?? '').toLowerCase().split(';');
  const charsets = parameters.map(charsetOf).filter((charset) => charset !== null);
  if (type?.trim() !== mediaType || charsets.some((charset) => charset !== 'utf-8')) {
    refuse('INVALID_CONTENT_TYPE', {
      message: {
        en: `Content-Type: this operation accepts ${mediaType} in UTF-8.`,
        it: `Content-Type: questa operazione accetta ${mediaType} in UTF-8.`,
      },
    });
  }
}

/**
 * The charset that a parameter of a media type names; null for any other parameter. No regular expression runs over the
 * whole, since an attacker's header could keep it busy for minutes.
 */
function charsetOf(parameter: string): string | null {
  const [name = '', ...value] = parameter.split('=');
  return name.trim() === 'charset' ? value.join('=').trim().replace(/^"|"$/g, '') : null;
}

/**
 * A body as text.
 *
 * @throws Refusal `INVALID_JSON` if it is not UTF-8
 */
export function textOf(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    refuse('INVALID_JSON');
  }
}

/**
 * Reads a whole body.
 *
 * @throws Refusal `PAYLOAD_TOO_LARGE`; `INVALID_JSON` if the client breaks it off
 */
export async function readBody(c: Context, maxBytes: number): Promise<ArrayBuffer> {
  const limit = bodyLimit({ maxSize: maxBytes, onError: () => refuse(tooLarge(maxBytes)) });
  try {
    await limit(c, async () => {});
    return await c.req.arrayBuffer();
  } catch (error) {
    return refuse(error instanceof Refusal ? error : 'INVALID_JSON');
  }
}

/** The refusal of a body that is larger than an operation accepts. */
export function tooLarge(maxBytes: number): Refusal {
  const kib = maxBytes / KIB;
  return new Refusal('PAYLOAD_TOO_LARGE', {
    message: {
      en: `The body is larger than the ${kib} KiB that this operation accepts.`,
      it: `Il corpo della richiesta supera i ${kib} KiB che questa operazione accetta.`,
    },
  });
}
