/** The outcome of the rows so far. Every answered row is counted once below `received`. */
export interface Sum {
  readonly parts: number;
  readonly received: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: number;
}

export const NOTHING: Sum = { parts: 0, received: 0, created: 0, updated: 0, unchanged: 0, rejected: 0 };

export function plus(a: Sum, b: Sum): Sum {
  return {
    parts: a.parts + b.parts,
    received: a.received + b.received,
    created: a.created + b.created,
    updated: a.updated + b.updated,
    unchanged: a.unchanged + b.unchanged,
    rejected: a.rejected + b.rejected,
  };
}
