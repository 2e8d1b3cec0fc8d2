import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admitsAddress, isAllowlistEntry } from '../../src/serving/access/ip-allowlist.ts';

describe('An entry of an allow-list is an address or a block without host bits', () => {
  it.each([
    ['192.0.2.1'],
    ['0.0.0.0'],
    ['255.255.255.255'],
    ['192.0.2.1/32'],
    ['0.0.0.0/0'],
    ['128.0.0.0/1'],
    ['192.0.2.0/24'],
    ['192.0.2.128/25'],
    ['192.0.2.254/31'],
    ['2001:db8::1'],
    ['2001:DB8:0:0:0:0:0:1'],
    ['2001:db8::1/128'],
    ['2001:db8::/32'],
    ['2001:db8:8000::/33'],
    ['::/0'],
    ['::'],
    ['::ffff:192.0.2.1'],
    ['::ffff:c000:201'],
    ['::ffff:192.0.2.0/120'],
    ['::ffff:0.0.0.0/96'],
    ['::192.0.2.1'],
    ['64:ff9b::192.0.2.1'],
    ['64:ff9b:0:0:0:0:192.0.2.1'],
  ])('%s is one', (entry) => {
    expect(isAllowlistEntry(entry)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['a name', 'example.com'],
    ['a hexadecimal part', '0x7f.1'],
    ['three parts', '192.0.2'],
    ['a part above 255', '192.0.2.256'],
    ['a leading zero', '192.0.2.01'],
    ['a part above 255 in a mapped address', '::ffff:192.0.2.256'],
    ['a port', '192.0.2.1:80'],
    ['brackets', '[2001:db8::1]'],
    ['a zone identifier', 'fe80::1%eth0'],
    ['seven groups', '1:2:3:4:5:6:7'],
    ['eight groups and a gap', '1:2:3:4::5:6:7:8'],
    ['an IPv4 address before a gap', '192.0.2.1::'],
    ['two gaps', '1::2::3'],
    ['five digits in a group', '12345::'],
    ['three colons', ':::'],
    ['a space before', ' 192.0.2.1'],
    ['a line break after', '192.0.2.1\n'],
    ['no prefix behind the slash', '192.0.2.0/'],
    ['a prefix alone', '/24'],
    ['a word for a prefix', '0.0.0.0/x'],
    ['a fraction for a prefix', '192.0.2.0/24.0'],
    ['a leading zero in the prefix', '192.0.2.0/024'],
    ['a prefix above 32', '192.0.2.0/33'],
    ['a prefix above 128', '2001:db8::/129'],
    ['the last host bit of a /31', '192.0.2.1/31'],
    ['the first host bit of a /25', '192.0.2.64/25'],
    ['a host bit in a /0', '0.0.0.1/0'],
    ['the first host bit of an IPv6 /33', '2001:db8:4000::/33'],
    ['a host bit in an IPv6 /0', '::1/0'],
    ['a host bit in a mapped block', '::ffff:192.0.2.1/120'],
    ['a mapped block wider than all mapped addresses', '::ffff:0.0.0.0/95'],
  ])('%s is none: %j', (_, entry) => {
    expect(isAllowlistEntry(entry)).toBe(false);
  });
});

describe('An allow-list admits', () => {
  it.each([
    ['the address itself', '192.0.2.1', '192.0.2.1', true],
    ['no other one', '192.0.2.1', '192.0.2.2', false],
    ['every IPv4 address by /0', '0.0.0.0/0', '255.255.255.255', true],
    ['no IPv6 address by the IPv4 /0', '0.0.0.0/0', '2001:db8::1', false],
    ['every IPv6 address by ::/0', '::/0', '2001:db8::1', true],
    ['no IPv4 address by ::/0', '::/0', '192.0.2.1', false],
    ['an IPv6 address written otherwise', '2001:db8::1', '2001:0DB8:0:0:0:0:0:1', true],
    ['a mapped client by its IPv4 address', '192.0.2.1', '::ffff:192.0.2.1', true],
    ['a mapped client, written in hexadecimal, by its IPv4 block', '192.0.2.0/24', '::ffff:c000:201', true],
    ['an IPv4 client by a mapped entry', '::ffff:192.0.2.1', '192.0.2.1', true],
    ['an IPv4 client by a mapped block', '::ffff:192.0.2.0/120', '192.0.2.255', true],
    ['no IPv4 client beyond a mapped block', '::ffff:192.0.2.0/120', '192.0.3.0', false],
    ['every IPv4 client by all mapped addresses', '::ffff:0.0.0.0/96', '198.51.100.9', true],
    ['no mapped client by ::/0: it counts as IPv4', '::/0', '::ffff:192.0.2.1', false],
    ['no IPv4 client by the address that only ends like it', '::192.0.2.1', '192.0.2.1', false],
    ['no client with a zone identifier', '::/0', 'fe80::1%eth0', false],
    ['no client that is not an address', '0.0.0.0/0', 'unknown', false],
    ['no client that is blank', '0.0.0.0/0', '', false],
    ['no client that is one number', '0.0.0.0/0', '1', false],
  ])('%s', (_, entry, client, expected) => {
    expect(admitsAddress([entry], client)).toBe(expected);
  });

  it('a client by any of its entries, whatever their families, and whatever is none', () => {
    const allowlist = ['anybody', '2001:db8::/32', '198.51.100.0/24', '192.0.2.1'];
    expect(admitsAddress(allowlist, '192.0.2.1')).toBe(true);
    expect(admitsAddress(allowlist, '2001:db8::9')).toBe(true);
    expect(admitsAddress(allowlist, '203.0.113.1')).toBe(false);
  });

  it('any client where there is no list, and none without an address where there is one', () => {
    for (const client of ['192.0.2.1', 'unknown', null]) expect(admitsAddress(null, client)).toBe(true);
    expect(admitsAddress(['0.0.0.0/0', '::/0'], null)).toBe(false);
  });

  const part = (most: number) => fc.oneof(fc.constant(0), fc.nat(most));
  const parts = (length: number, most: number) =>
    fc.array(part(most), { minLength: length, maxLength: length });

  it.each([
    ['IPv4', 32, parts(4, 0xff), (numbers: number[]) => numbers.join('.')],
    ['IPv6', 128, parts(8, 0xffff), (numbers: number[]) => numbers.map((n) => n.toString(16)).join(':')],
  ] as const)('by %s who has the block’s first bits', (_, length, numbers, textOf) => {
    fc.assert(
      fc.property(numbers, fc.nat(length), fc.option(fc.nat(length - 1)), (address, prefix, bit) => {
        const width = length / address.length;
        const bits = address.map((number) => number.toString(2).padStart(width, '0')).join('');
        const addressOf = (text: string) =>
          textOf(
            address.map((__, index) => Number.parseInt(text.slice(index * width, (index + 1) * width), 2)),
          );
        const network = `${addressOf(bits.slice(0, prefix).padEnd(length, '0'))}/${prefix}`;
        const client =
          bit === null ? bits : bits.slice(0, bit) + (bits[bit] === '0' ? '1' : '0') + bits.slice(bit + 1);
        expect(isAllowlistEntry(network)).toBe(true);
        expect(admitsAddress([network], addressOf(client))).toBe(bit === null || bit >= prefix);
      }),
    );
  });
});
