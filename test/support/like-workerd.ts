import { timingSafeEqual } from 'node:crypto';

// Workers have it besides the standard's own functions; Node has the same one elsewhere.
Object.assign(crypto.subtle, { timingSafeEqual });

// Workers have it, and this version of Node does not yet.
function getOrInsertComputed<Key, Value>(
  this: Map<Key, Value>,
  key: Key,
  make: (key: Key) => Value,
): Value | undefined {
  if (!this.has(key)) this.set(key, make(key));
  return this.get(key);
}
for (const { prototype } of [Map, WeakMap]) {
  Object.assign(prototype, { getOrInsertComputed });
}

// Likewise.
if (!('toHex' in Uint8Array.prototype)) {
  Object.assign(Uint8Array.prototype, {
    toHex(this: Uint8Array): string {
      return Buffer.from(this).toString('hex');
    },
  });
}
if (!('fromHex' in Uint8Array)) {
  Object.assign(Uint8Array, {
    fromHex: (digits: string): Uint8Array => new Uint8Array(Buffer.from(digits, 'hex')),
  });
}
