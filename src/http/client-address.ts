/** What an IPv4 or IPv6 address is written with, and the most of it. */
const CHARACTERS_OF_AN_ADDRESS = /^[0-9a-f.:]{2,45}$/i;

/**
 * `CF-Connecting-IP` alone: every other header of the kind is the client's to write. Where nothing stands before the
 * service this one is too, and the call log keeps it: what cannot be an address is none.
 */
export function clientAddress(headers: Headers): string | null {
  const address = headers.get('CF-Connecting-IP');
  return address !== null && CHARACTERS_OF_AN_ADDRESS.test(address) ? address : null;
}
