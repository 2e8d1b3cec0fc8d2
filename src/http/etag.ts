/** Whether the header `If-None-Match` names this tag. Compressing an answer on its way makes its tag a weak one. */
export function hasVersion(ifNoneMatch: string | null, etag: string): boolean {
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  const named = ifNoneMatch?.split(',').map(opaque) ?? [];
  return named.includes('*') || named.includes(opaque(etag));
}

/** Half of the digest tells two versions of an answer apart. */
const TAG_BYTES = 16;

/** A weak tag of a text: the same for the same text, wherever it is made. */
export async function weakTagOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `W/"${new Uint8Array(digest, 0, TAG_BYTES).toHex()}"`;
}
