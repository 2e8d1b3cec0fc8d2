/** How long a body may take to arrive, in milliseconds. */
const ARRIVAL_MS = 60_000;
/** From its first byte on, this many bytes must arrive in each stretch of this length, or the body must end. */
const STRETCH_MS = 10_000;
const BYTES_PER_STRETCH = 64 * 1024;

/**
 * Whether a body arrives fast enough. Otherwise a sender that lets it trickle could hold a place for as long as it likes.
 * Instants are of a clock that never goes back.
 */
export class Arrival {
  readonly #endsAtMs: number;
  /** Null before the first byte. */
  #stretchEndsAtMs: number | null = null;
  #bytesOfStretch = 0;
  #fellBehind = false;

  /** @param nowMs when reading it begins */
  constructor(nowMs: number) {
    this.#endsAtMs = nowMs + ARRIVAL_MS;
  }

  /** Bytes have come. */
  add(bytes: number, nowMs: number): void {
    this.#pass(nowMs);
    if (bytes > 0) {
      this.#stretchEndsAtMs ??= nowMs + STRETCH_MS;
      this.#bytesOfStretch += bytes;
    }
  }

  /** How long the next bytes may take; 0 once the body is too late. */
  leftMs(nowMs: number): number {
    this.#pass(nowMs);
    const stretchEndsAtMs = this.#stretchEndsAtMs ?? Number.POSITIVE_INFINITY;
    const isEnough = this.#bytesOfStretch >= BYTES_PER_STRETCH;
    const endsAtMs = Math.min(this.#endsAtMs, stretchEndsAtMs + (isEnough ? STRETCH_MS : 0));
    return this.#fellBehind ? 0 : Math.max(0, endsAtMs - nowMs);
  }

  /** Ends the stretches that are over. */
  #pass(nowMs: number): void {
    while (this.#stretchEndsAtMs !== null && nowMs >= this.#stretchEndsAtMs) {
      this.#fellBehind ||= this.#bytesOfStretch < BYTES_PER_STRETCH;
      this.#bytesOfStretch = 0;
      this.#stretchEndsAtMs += STRETCH_MS;
    }
  }
}
