/** Whether the header `If-None-Match` names this tag. Compressing an answer on its way makes its tag a weak one. */
export function hasVersion(ifNoneMatch: string | null, etag: string): boolean {
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  const named = ifNoneMatch?.split(',').map(opaque) ?? [];
  return named.includes('*') || named.includes(opaque(etag));
}

/** Half of the digest is enough to distinguish the versions of an answer. */
const TAG_BYTES = 16;

/** The weak tag of a text: the same text has the same tag in every isolate. */
export async function weakTagOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `W/"${new Uint8Array(digest, 0, TAG_BYTES).toHex()}"`;
}
