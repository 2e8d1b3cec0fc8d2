/** The day so far: how many vehicles there were, minute by minute. */
export interface Point {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly count: number;
}

/** Where nothing was heard for longer, the line has a gap. */
const GAP_MS = 150_000;

/** A line of one local day. What is of another day than the newest point is dropped: at midnight it begins again. */
export class Day {
  #points: readonly Point[] = [];
  #date = '';

  /** @param timeZone IANA name */
  add(point: Point, timeZone: string): void {
    const date = new Intl.DateTimeFormat('en-CA', { timeZone }).format(point.at);
    const kept = date === this.#date ? this.#points.filter(({ at }) => at < point.at) : [];
    this.#date = date;
    this.#points = [...kept, point];
  }

  clear(): void {
    this.#points = [];
  }

  /** When the line begins. Infinity: it has no point. */
  get began(): number {
    return this.#points[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  get most(): number {
    return Math.max(1, ...this.#points.map(({ count }) => count));
  }

  /** The parts of the line, each without a gap. */
  get parts(): readonly (readonly Point[])[] {
    const parts: Point[][] = [];
    let last = Number.NEGATIVE_INFINITY;
    for (const point of this.#points) {
      if (point.at - last > GAP_MS) parts.push([]);
      parts.at(-1)?.push(point);
      last = point.at;
    }
    return parts;
  }
}

/** The minutes of the local clock, from midnight on. */
export function minuteOfDay(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    ...({ hour: 'numeric', minute: 'numeric', hourCycle: 'h23' } as const),
    timeZone,
  }).formatToParts(at);
  const number = (type: string): number => Number(parts.find((part) => part.type === type)?.value ?? 0);
  return number('hour') * 60 + number('minute');
}
