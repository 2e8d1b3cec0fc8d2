import type { env } from 'cloudflare:workers';
import type { Random } from '../domain/random.ts';
import { databaseDouble, objectsDouble } from './doubles.ts';

/** The real database and objects, to which every call takes a random moment, and back another. */
export function unsteadyBindings(
  random: Random,
  longestMs = 4,
): { DB: D1Database; CREDENTIALS: typeof env.CREDENTIALS } {
  const moment = () => scheduler.wait(random.below(longestMs + 1));
  const around = async (run: () => Promise<unknown>): Promise<unknown> => {
    await moment();
    const result = await run();
    await moment();
    return result;
  };
  return { DB: databaseDouble({ around }), CREDENTIALS: objectsDouble(around) };
}
