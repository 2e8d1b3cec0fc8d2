import { MAX_REMEMBERED_LINES, MAX_REMEMBERED_PLATES } from '../../domain/patrol/rejected-lines.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';

/** A plate to remember, and the number of the line that named it first, from 0. */
export interface RejectedPlate {
  readonly plate: Plate;
  readonly line: number;
}

/** The plates that an import's rejected lines have named: a patrol must not conclude that they have no right. */
export class RejectedPlates {
  readonly #plates = new Map<Plate, number>();
  #lines = 0;
  #unremembered = 0;
  #unreadable = 0;

  /** Notes a rejected line. Call it once a line. @param line null where it is no JSON object */
  note(line: object | null): void {
    const plates = line === null ? [] : platesIn(line);
    const fresh = plates.filter((plate) => !this.#plates.has(plate));
    if (plates.length === 0) {
      this.#unreadable += 1;
    } else if (
      fresh.length > 0 &&
      (this.#lines === MAX_REMEMBERED_LINES || this.#plates.size + fresh.length > MAX_REMEMBERED_PLATES)
    ) {
      this.#unremembered += 1;
    } else if (fresh.length > 0) {
      for (const plate of fresh) this.#plates.set(plate, this.#lines);
      this.#lines += 1;
    }
  }

  /** In the order of their lines. */
  get plates(): RejectedPlate[] {
    return [...this.#plates].map(([plate, line]) => ({ plate, line }));
  }

  /** Lines with a plate that is not among {@link plates}. */
  get unremembered(): number {
    return this.#unremembered;
  }

  /** Lines in which no plate could be read. */
  get unreadable(): number {
    return this.#unreadable;
  }
}

/** The plates that a line names, a session's or a subscription's. */
function platesIn(line: object): Plate[] {
  const { plate, plates }: { plate?: unknown; plates?: unknown } = line;
  const named = [plate, ...(Array.isArray(plates) ? plates.map(plateOfEntry) : [])];
  return [...new Set(named.flatMap((text) => plateIn(text) ?? []))];
}

const plateOfEntry = (entry: unknown): unknown =>
  typeof entry === 'object' && entry !== null && 'plate' in entry ? entry.plate : entry;

/** A number counts too: it is refused, but it was meant as a plate. */
const plateIn = (text: unknown): Plate | null =>
  typeof text === 'string' || typeof text === 'number' ? normalizePlate(String(text)) : null;
