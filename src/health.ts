import type { AppContext } from './http/context.ts';
import { answer } from './http/envelope.ts';

/** Says that the Worker answers. Touches no storage. */
export const health = (c: AppContext) => answer(c, {});
