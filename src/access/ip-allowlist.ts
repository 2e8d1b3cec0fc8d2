import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Whether an entry of an allow-list is an IPv4 or IPv6 address, or a CIDR block whose host bits are all zero.
 */
export function isAllowlistEntry(entry: string): boolean {
  const block = parseBlock(entry);
  return block !== null && hasNoHostBits(block);
}

/**
 * Whether a client may call from its address. An IPv4-mapped IPv6 address counts as the IPv4 address, in the list and
 * of the client. Each list is parsed only once, since a thousand entries take tens of milliseconds.
 *
 * @param allowlist null allows any address
 * @param client `CF-Connecting-IP`; null if there is none, which no list allows
 */
export function admitsAddress(allowlist: readonly string[] | null, client: string | null): boolean {
  if (allowlist === null) {
    return true;
  }
  const address = client === null ? null : parseAddress(client);
  return address !== null && blocksOf(allowlist).some((block) => contains(block, address));
}

/** By the list object, which never changes: an entry is collected together with its credential's record. */
const parsedLists = new WeakMap<readonly string[], readonly Block[]>();

function blocksOf(allowlist: readonly string[]): readonly Block[] {
  return parsedLists.getOrInsertComputed(allowlist, () =>
    allowlist.map(parseBlock).filter((block) => block !== null),
  );
}

interface Block {
  readonly address: Address;
  readonly prefix: number;
}

function contains(block: Block, address: Address): boolean {
  return block.address.kind() === address.kind() && address.match(block.address, block.prefix);
}

function hasNoHostBits({ address, prefix }: Block): boolean {
  const Kind = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${Kind.networkAddressFromCIDR(`${address}/${prefix}`)}` === `${address}`;
}

function parseBlock(entry: string): Block | null {
  const [text = '', prefixText, ...rest] = entry.split('/');
  const address = parsePlainAddress(text);
  if (address === null || rest.length > 0) {
    return null;
  }
  const longest = address.kind() === 'ipv4' ? 32 : 128;
  const prefix = prefixText === undefined ? longest : parsePrefix(prefixText);
  if (prefix === null || prefix > longest) {
    return null;
  }
  return asIpv4IfMapped({ address, prefix });
}

/** A mapped block as its IPv4 block. One that is wider than all mapped addresses stays an IPv6 block. */
function asIpv4IfMapped(block: Block): Block {
  const mapped = mappedAddress(block.address);
  return mapped !== null && block.prefix >= 96 ? { address: mapped, prefix: block.prefix - 96 } : block;
}

/** The IPv4 address that an IPv4-mapped IPv6 address stands for; null for any other. */
function mappedAddress(address: Address): ipaddr.IPv4 | null {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : null;
}

function parsePrefix(text: string): number | null {
  return /^(?:0|[1-9]\d{0,2})$/.test(text) ? Number(text) : null;
}

function parseAddress(text: string): Address | null {
  const address = parsePlainAddress(text);
  return address && (mappedAddress(address) ?? address);
}

/** The library also accepts `1`, `0x7f.1` and zone identifiers, which can only be mistakes here. */
function parsePlainAddress(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) {
    return ipaddr.IPv4.parse(text);
  }
  const groups = withoutDottedTail(text);
  return groups !== null && !groups.includes('%') && ipaddr.IPv6.isValid(groups)
    ? ipaddr.IPv6.parse(groups)
    : null;
}

/**
 * Rewrites `::ffff:192.0.2.1` as `::ffff:c000:201`. The library would read `::192.0.2.1`, a different address, as the
 * mapped one, and would accept numbers with leading zeros.
 */
function withoutDottedTail(text: string): string | null {
  if (!text.includes('.')) {
    return text;
  }
  const tailAt = text.lastIndexOf(':') + 1;
  const tail = text.slice(tailAt);
  if (!ipaddr.IPv4.isValidFourPartDecimal(tail)) {
    return null;
  }
  const [a = 0, b = 0, c = 0, d = 0] = ipaddr.IPv4.parse(tail).toByteArray();
  const group = (high: number, low: number) => (high * 256 + low).toString(16);
  return `${text.slice(0, tailAt)}${group(a, b)}:${group(c, d)}`;
}
