import type { City } from './city.ts';
import type { Load } from './load.ts';

/** What a run is given. */
export interface Run {
  readonly rounds: number;
  /** Of one load. */
  readonly seconds: number;
  /** With a hundred thousand sessions: the chapters share it. */
  readonly city: City;
}

/** One row of the table: what was measured in each round, and what it is held beside. */
export interface Figure {
  readonly what: string;
  /** The yardstick, where the figure is a ratio to one. */
  readonly beside?: string;
  readonly unit: '×' | 'ms' | 'KiB' | 'lines/s';
  readonly goal?: string;
  readonly rounds: readonly number[];
}

export interface Findings {
  /** Every round's load, by what was loaded. */
  readonly loads?: Readonly<Record<string, readonly Load[]>>;
  readonly figures: readonly Figure[];
}

export type Chapter = (run: Run) => Promise<Findings>;
