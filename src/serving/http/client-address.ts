/** The characters of an IPv4 or IPv6 address, and its length. */
const CHARACTERS_OF_AN_ADDRESS = /^[0-9a-f.:]{2,45}$/i;

/**
 * The address of the client, from `CF-Connecting-IP` only: a client can forge any other such header. Without the platform
 * in front of the service it can forge this one too, so anything that cannot be an address is ignored.
 */
export function clientAddress(headers: Headers): string | null {
  const address = headers.get('CF-Connecting-IP');
  return address !== null && CHARACTERS_OF_AN_ADDRESS.test(address) ? address : null;
}
