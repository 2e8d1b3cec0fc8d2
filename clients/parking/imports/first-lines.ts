import { hash } from 'node:crypto';

/** Of a slot: three words of its key's digest, and the line; a line of 0 is a free slot. */
const WORDS = 4;
const LINE = 3;
const FEWEST_SLOTS = 1_024;

/**
 * Remembers the first line of each key in a file. A key of any length takes 32 to 64 bytes: a million of them
 * take less than 64 MiB. It keeps 96 bits of each key's digest: two keys of a file do not collide.
 */
export class FirstLines {
  #words = new Uint32Array(FEWEST_SLOTS * WORDS);
  #used = 0;

  /** The first line of a key: this one if the key is new. */
  of(key: string, line: number): number {
    const digest = hash('sha1', key, 'buffer');
    const words = [digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8)] as const;
    const at = slotOf(this.#words, words);
    const known = this.#words[at + LINE] ?? 0;
    if (known !== 0) return known;
    this.#words.set([...words, line], at);
    this.#used += 1;
    if (this.#used * WORDS * 2 > this.#words.length) this.#grow();
    return line;
  }

  #grow(): void {
    const old = this.#words;
    this.#words = new Uint32Array(old.length * 2);
    for (let from = 0; from < old.length; from += WORDS) {
      const [one = 0, two = 0, three = 0, line = 0] = old.subarray(from, from + WORDS);
      if (line === 0) continue;
      this.#words.set([one, two, three, line], slotOf(this.#words, [one, two, three]));
    }
  }
}

/** The slot of a key: the first from its own on that holds it, or is free. */
function slotOf(slots: Uint32Array, [one, two, three]: readonly [number, number, number]): number {
  let at = (one * WORDS) % slots.length;
  while (slots[at + LINE] !== 0 && (slots[at] !== one || slots[at + 1] !== two || slots[at + 2] !== three)) {
    at = (at + WORDS) % slots.length;
  }
  return at;
}
