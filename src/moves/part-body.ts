import { refuse } from '../errors/refusal.ts';
import { announcedLength, IMPORT_BODY, readBody, tooLarge } from '../http/body.ts';

/** So much of a part that is too large is read before it is refused: a client that is still sending would get no answer. */
const MAX_READ_BYTES = 4 * IMPORT_BODY;

/** @throws Refusal `PAYLOAD_TOO_LARGE`; `INVALID_JSON` if the client breaks it off */
export async function readPartBody(source: Request): Promise<Uint8Array> {
  const announced = announcedLength(source);
  if (announced <= IMPORT_BODY) {
    return (await readBody(source, IMPORT_BODY)).bytes;
  }
  if (announced > MAX_READ_BYTES) {
    refuse(tooLarge(IMPORT_BODY));
  }
  const { chunks, length } = await readChunks(source).catch(() => refuse('INVALID_JSON'));
  return length <= IMPORT_BODY
    ? new Uint8Array(await new Blob(chunks).arrayBuffer())
    : refuse(tooLarge(IMPORT_BODY));
}

/** Keeps no more than a part may have. */
async function readChunks(source: Request) {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of source.body ?? []) {
    length += chunk.byteLength;
    if (length > MAX_READ_BYTES) break;
    if (length <= IMPORT_BODY) chunks.push(chunk);
  }
  return { chunks, length };
}
