import {
  convertIPv4MappedIPv6ToIPv4,
  convertIPv4ToBinary,
  convertIPv6ToBinary,
  isIPv4MappedIPv6,
} from 'hono/utils/ipaddr';

/** The addresses that share their first bits. */
interface Block {
  /** How many bits an address has: 32 of IPv4, 128 of IPv6. */
  readonly length: 32 | 128;
  readonly bits: bigint;
  /** How many bits at the end are free. */
  readonly host: bigint;
}

/** Whether an entry of an allow-list is an IPv4 or IPv6 address, or a CIDR block whose host bits are all zero. */
export function isAllowlistEntry(entry: string): boolean {
  const block = parseBlock(entry);
  return block !== null && (block.bits >> block.host) << block.host === block.bits;
}

/**
 * Whether a client may call from its address. An IPv4-mapped IPv6 address counts as the IPv4 address, in the list and
 * of the client. Each list is parsed only once, since a thousand entries take milliseconds.
 *
 * @param allowlist null allows any address
 * @param client `CF-Connecting-IP`; null if there is none, which no list allows
 */
export function admitsAddress(allowlist: readonly string[] | null, client: string | null): boolean {
  if (allowlist === null) return true;
  const address = client?.includes('/') === false ? parseBlock(client) : null;
  return address !== null && blocksOf(allowlist).some((block) => contains(block, address));
}

/** By the list object, which never changes: an entry is collected together with its credential's record. */
const parsedLists = new WeakMap<readonly string[], readonly Block[]>();

const blocksOf = (allowlist: readonly string[]): readonly Block[] =>
  parsedLists.getOrInsertComputed(allowlist, () =>
    allowlist.map(parseBlock).filter((block) => block !== null),
  );

const contains = ({ length, bits, host }: Block, address: Block): boolean =>
  length === address.length && bits >> host === address.bits >> host;

const PREFIX = /^(?:0|[1-9]\d{0,2})$/;

/** An address is a block of its own. */
function parseBlock(entry: string): Block | null {
  const [address = '', prefix, ...rest] = entry.split('/');
  const length = address.includes(':') ? 128 : 32;
  const bits = parseAddress(address);
  if (bits === null || rest.length > 0 || !PREFIX.test(prefix ?? '0') || Number(prefix ?? 0) > length) {
    return null;
  }
  const host = prefix === undefined ? 0n : BigInt(length - Number(prefix));
  // One that is wider than all mapped addresses stays an IPv6 block.
  return length === 128 && isIPv4MappedIPv6(bits) && host <= 32n
    ? { length: 32, bits: convertIPv4MappedIPv6ToIPv4(bits), host }
    : { length, bits, host };
}

function parseAddress(text: string): bigint | null {
  // A zone means something on the sender's machine alone.
  if (text.includes('%')) return null;
  try {
    return text.includes(':') ? convertIPv6ToBinary(text) : convertIPv4ToBinary(text);
  } catch {
    return null;
  }
}
