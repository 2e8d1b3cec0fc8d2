import type { Instant } from '../../domain/instant.ts';

/**
 * The id of a call: a UUID of version 7, which begins with its instant. The call log is in the order of its ids, and needs
 * no index of instants.
 */
export function newRequestId(now: Instant): string {
  const time = Math.max(now, 0).toString(16).padStart(12, '0');
  // A random UUID with its version and time replaced; the variant is already where it belongs.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}
