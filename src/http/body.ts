import { Refusal } from '../errors/refusal.ts';

const KIB = 1024;
/** The largest body of a query, of the configuration, and of an import, in bytes. */
export const QUERY_BODY = 64 * KIB;
export const CONFIGURATION_BODY = 1024 * KIB;
export const IMPORT_BODY = 8 * 1024 * KIB;

/** Refuses any media type but the given one, and any charset but UTF-8, with `INVALID_CONTENT_TYPE`. */
export function requireContentType(headers: Headers, mediaType: string): void {
  const [type, ...parameters] = (headers.get('Content-Type') ?? '').toLowerCase().split(';');
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
 * A body as text.
 *
 * @throws Refusal `INVALID_JSON` for one that is no UTF-8
 */
export function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new Refusal('INVALID_JSON');
  }
}

/**
 * A body as a JSON object.
 *
 * @throws Refusal `INVALID_JSON` for one that is empty, no UTF-8, no JSON, or no object
 */
export function jsonObjectOf(bytes: Uint8Array): object {
  const text = textOf(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refusal('INVALID_JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal('INVALID_JSON');
  }
  return value;
}

/** What was read of a body. */
export interface ReadBody {
  /** As far as it was read: as many as are taken, at most. */
  readonly bytes: Uint8Array;
  /** Whether that is all of it. */
  readonly isWhole: boolean;
}

/**
 * Reads a body, `maxBytes` of it at most.
 *
 * @throws Refusal `INVALID_JSON` where it breaks off: that is the client's failure
 */
export async function readBody(request: Request, maxBytes: number): Promise<ReadBody> {
  try {
    return await readUpTo(request, maxBytes);
  } catch {
    throw new Refusal('INVALID_JSON');
  }
}

/** The first bytes of a body, `maxBytes` at most, and whether they are all of it. */
export async function readUpTo(request: Request, maxBytes: number): Promise<ReadBody> {
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
