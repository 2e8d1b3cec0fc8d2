import { sends, type Trip } from './round-trips.ts';

const RESUME = /^update "municipalities" set "writes_stopped_until" = \? where/;

/** When a city's writes may be refused: from their stop until the city can be written in its old or new place. */
export class Stops {
  #now = 0;
  #isStopped = false;
  #isPointed = false;
  #isOverdue = false;
  #endedAt = -1;

  /** Notes a round trip of the move that has been done. */
  note(trip: Trip): void {
    if (sends('stopWrites')(trip)) this.#isStopped = true;
    if (sends('pointOn')(trip)) this.#isPointed = true;
    if (sends('completeArrival')(trip) || RESUME.test(trip.sql)) this.#end();
  }

  /** The stop's time is over. A city that has its pointer, and whose arrival was cut off, may refuse one more write. */
  letPass(): void {
    if (this.#isPointed) this.#isOverdue = true;
    else this.#end();
  }

  now(): number {
    this.#now += 1;
    return this.#now;
  }

  /** Whether writes were stopped at some instant of a call, which began then and was refused. */
  mayRefuse(since: number): boolean {
    const may = this.#isStopped || since <= this.#endedAt;
    if (this.#isOverdue) this.#end();
    return may;
  }

  #end(): void {
    this.#isStopped = false;
    this.#isPointed = false;
    this.#isOverdue = false;
    this.#endedAt = this.now();
  }
}
