import { Refusal, refuse } from '../../base/errors/refusal.ts';

const KIB = 1024;
/** The largest body of an options query, of any other query, of the configuration, and of an import, in bytes. */
export const OPTIONS_BODY = 2 * KIB;
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
export function textOf(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    refuse('INVALID_JSON');
  }
}

/** The part of a body that was read. */
interface ReadBody {
  /** The bytes that were read, up to the maximum. */
  readonly bytes: Uint8Array;
  /** Whether these are all bytes of the body. */
  readonly isWhole: boolean;
}

/**
 * Reads a body, up to `maxBytes`.
 *
 * @throws Refusal `INVALID_JSON` if the client breaks it off
 */
export async function readBody(request: Request, maxBytes: number): Promise<ReadBody> {
  try {
    return await readUpTo(request, maxBytes);
  } catch {
    refuse('INVALID_JSON');
  }
}

/** The first bytes of a body, up to `maxBytes`, and whether these are all. */
async function readUpTo(request: Request, maxBytes: number): Promise<ReadBody> {
  // The runtime enforces an announced length: no more bytes arrive.
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
  return { bytes: joinChunks(chunks, Math.min(length, maxBytes)), isWhole: length <= maxBytes };
}

/** The announced length in bytes; NaN, for which every comparison is false, if there is none. */
export const announcedLength = ({ headers }: Request): number =>
  Number(headers.get('Content-Length') ?? Number.NaN);

function joinChunks(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk.subarray(0, length - offset), offset);
    offset += chunk.byteLength;
  }
  return whole;
}

/** @throws Refusal `PAYLOAD_TOO_LARGE` if it is larger than an operation accepts */
export function requireWhole({ bytes, isWhole }: ReadBody, maxBytes: number): Uint8Array {
  if (!isWhole) {
    throw tooLarge(maxBytes);
  }
  return bytes;
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
