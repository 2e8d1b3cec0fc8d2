import { ACCESS } from './access.ts';
import { ERASURE } from './erasure.ts';
import type { Fault } from './fault.ts';
import { GATE } from './gate.ts';
import { IMPORTS } from './imports.ts';
import { MOVES } from './moves.ts';
import { PIPELINE } from './pipeline.ts';
import { SQL } from './sql.ts';

/** All planted faults. Their numbers begin at 1. */
export const FAULTS: readonly Fault[] = [
  ...SQL,
  ...PIPELINE,
  ...ACCESS,
  ...IMPORTS,
  ...MOVES,
  ...ERASURE,
  ...GATE,
];
