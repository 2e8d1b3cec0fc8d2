import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Whether an entry of an allow-list is an IPv4 or IPv6 address, or a CIDR block without host bits set.
 */
export function isAllowlistEntry(entry: string): boolean {
  const block = parseBlock(entry);
  return block !== null && hasNoHostBits(block);
}

/**
 * Whether a client may call. An IPv4-mapped IPv6 address counts as its IPv4 one, on either side. The same list is parsed
 * once, however often it is asked: a thousand entries take tens of milliseconds.
 *
 * @param allowlist null: any address
 * @param client `CF-Connecting-IP`; null where there is none, which no list admits
 */
export function admitsAddress(allowlist: readonly string[] | null, client: string | null): boolean {
  if (allowlist === null) {
    return true;
  }
  const address = client === null ? null : parseAddress(client);
  return address !== null && blocksOf(allowlist).some((block) => contains(block, address));
}

/** By the list itself, which nobody changes: it goes when its credential's record goes. */
const parsedLists = new WeakMap<readonly string[], readonly Block[]>();

function blocksOf(allowlist: readonly string[]): readonly Block[] {
  let blocks = parsedLists.get(allowlist);
  if (blocks === undefined) {
    blocks = allowlist.map(parseBlock).filter((block) => block !== null);
    parsedLists.set(allowlist, blocks);
  }
  return blocks;
}

interface Block {
  readonly address: Address;
  readonly prefix: number;
}

function contains(block: Block, address: Address): boolean {
  return block.address.kind() === address.kind() && address.match(block.address, block.prefix);
}

function hasNoHostBits({ address, prefix }: Block): boolean {
  const bytes = address.toByteArray();
  return bytes.every((byte, index) => (byte & hostMask(prefix - index * 8)) === 0);
}

/** The host bits of a byte of which `networkBits` (any number) belong to the network. */
function hostMask(networkBits: number): number {
  return 0xff >> Math.min(8, Math.max(0, networkBits));
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
  return unmapped({ address, prefix });
}

/** A mapped block counts as its IPv4 one; a block wider than all mapped addresses stays what it is. */
function unmapped(block: Block): Block {
  const mapped = mappedAddress(block.address);
  return mapped !== null && block.prefix >= 96 ? { address: mapped, prefix: block.prefix - 96 } : block;
}

/** The IPv4 address that an IPv6 one stands for, if it does. */
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

/** The library also takes `1`, `0x7f.1` and zone identifiers, which here can only be mistakes. */
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
 * `::ffff:192.0.2.1` as `::ffff:c000:201`. The library would take `::192.0.2.1`, which is another address, for the
 * mapped one, and numbers with leading zeros.
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
