/**
 * Whether an entry of an allow-list is an IPv4 or IPv6 address, or a CIDR block whose host bits are all zero.
 */
export function isAllowlistEntry(entry: string): boolean {
  const block = parseBlock(entry);
  return block !== null && networkOf(block, block.prefix) << hostLength(block, block.prefix) === block.bits;
}

/**
 * Whether a client may call from its address. An IPv4-mapped IPv6 address counts as the IPv4 address, in the list and
 * of the client. Each list is parsed only once, since a thousand entries take milliseconds.
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

interface Address {
  readonly bits: bigint;
  /** How many bits: 32 of IPv4, 128 of IPv6. */
  readonly length: 32 | 128;
}

interface Block extends Address {
  readonly prefix: number;
}

const hostLength = ({ length }: Address, prefix: number): bigint => BigInt(length - prefix);
const networkOf = (address: Address, prefix: number): bigint => address.bits >> hostLength(address, prefix);

function contains(block: Block, address: Address): boolean {
  return (
    block.length === address.length && networkOf(block, block.prefix) === networkOf(address, block.prefix)
  );
}

function parseBlock(entry: string): Block | null {
  const [text = '', prefixText, ...rest] = entry.split('/');
  const address = parsePlainAddress(text);
  if (address === null || rest.length > 0) {
    return null;
  }
  const prefix = prefixText === undefined ? address.length : parsePrefix(prefixText);
  if (prefix === null || prefix > address.length) {
    return null;
  }
  return asIpv4IfMapped({ ...address, prefix });
}

/** A mapped block as its IPv4 block. One that is wider than all mapped addresses stays an IPv6 block. */
function asIpv4IfMapped(block: Block): Block {
  const mapped = mappedAddress(block);
  return mapped !== null && block.prefix >= 96 ? { ...mapped, prefix: block.prefix - 96 } : block;
}

/** The IPv4 address of an IPv4-mapped IPv6 address; null for any other. */
function mappedAddress({ bits, length }: Address): Address | null {
  return length === 128 && bits >> 32n === 0xffffn ? { bits: bits & 0xffff_ffffn, length: 32 } : null;
}

function parsePrefix(text: string): number | null {
  return /^(?:0|[1-9]\d{0,2})$/.test(text) ? Number(text) : null;
}

function parseAddress(text: string): Address | null {
  const address = parsePlainAddress(text);
  return address && (mappedAddress(address) ?? address);
}

function parsePlainAddress(text: string): Address | null {
  if (text.includes(':')) {
    const bits = parseIpv6(text);
    return bits === null ? null : { bits, length: 128 };
  }
  const bits = parseIpv4(text);
  return bits === null ? null : { bits, length: 32 };
}

/** Four decimal numbers. A leading zero, which some read as octal, can only be a mistake. */
function parseIpv4(text: string): bigint | null {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)
    ? joined(parts.map(BigInt), 8n)
    : null;
}

/** Eight groups, where `::` replaces one zero or more. The last two may be written as IPv4. */
function parseIpv6(text: string): bigint | null {
  const [before = '', after, ...rest] = text.split('::');
  const first = groupsOf(before, after === undefined);
  const last = groupsOf(after ?? '', true);
  if (first === null || last === null || rest.length > 0) {
    return null;
  }
  const missing = 8 - first.length - last.length;
  return (after === undefined ? missing === 0 : missing > 0)
    ? joined([...first, ...Array<bigint>(missing).fill(0n), ...last], 16n)
    : null;
}

/** Groups of 16 bits. Only those at the end of the address may have an IPv4 address at their end. */
function groupsOf(text: string, isEnd: boolean): bigint[] | null {
  const parts = text === '' ? [] : text.split(':');
  const ipv4 = isEnd && parts.at(-1)?.includes('.') === true ? parseIpv4(parts.pop() ?? '') : undefined;
  if (ipv4 === null || parts.length > 8 || !parts.every((part) => /^[\da-f]{1,4}$/i.test(part))) {
    return null;
  }
  const groups = parts.map((part) => BigInt(`0x${part}`));
  return ipv4 === undefined ? groups : [...groups, ipv4 >> 16n, ipv4 & 0xffffn];
}

const joined = (numbers: readonly bigint[], width: bigint): bigint =>
  numbers.reduce((bits, number) => (bits << width) | number, 0n);
