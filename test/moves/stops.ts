import { sends, type Trip } from './round-trips.ts';

const RESUME = /^update "municipalities" set "writes_stopped_until" = \? where/;

/** When a city's writes may be refused: from their stop until the city can be written in its old or new place. */
export class Stops {
  #now = 0;
  #isStopped = false;
  #endedAt = -1;

  /** Notes a round trip of the move that has been done. */
  note(trip: Trip): void {
    if (sends('stopWrites')(trip)) this.#isStopped = true;
    if (sends('completeArrival')(trip) || RESUME.test(trip.sql)) this.end();
  }

  now(): number {
    this.#now += 1;
    return this.#now;
  }

  /** Whether writes were stopped at some instant of a call that began then. */
  mayRefuse(since: number): boolean {
    return this.#isStopped || since <= this.#endedAt;
  }

  /** The time of the stop is over, or the move has ended it. */
  end(): void {
    this.#isStopped = false;
    this.#endedAt = this.now();
  }
}
