import { refuse } from '../../base/errors/refusal.ts';
import type { Env } from '../../env.ts';
import { UNKNOWN_MUNICIPALITY } from '../../serving/administration/unknown.ts';
import { databasesOf, getDatabase, HOME, isBound } from '../../storage/databases/bindings.ts';
import { type CameFrom, livesAt } from '../../storage/databases/lives-at.ts';
import { readStanding, type Standing } from './moves-table.ts';
import { BEING_RESTORED } from './restore-texts.ts';
import { readStandings } from './standings.ts';

/** A municipality where it lives. */
export interface Located extends Standing {
  /** The name of its database. */
  readonly name: string;
}

/**
 * @throws Refusal `NOT_FOUND` for a municipality that nobody knows; `MOVE_IN_PROGRESS` for one that is being restored: it lives
 *   nowhere yet
 */
export async function locate(env: Env, code: string): Promise<Located> {
  const found = await follow(env, code);
  if (found !== null && 'name' in found) {
    return found;
  }
  const { restoresIn } = await readStandings(env, code);
  if (restoresIn !== null) {
    refuse('MOVE_IN_PROGRESS', { message: BEING_RESTORED(restoresIn) });
  }
  if (found === null) {
    refuse('NOT_FOUND', { message: UNKNOWN_MUNICIPALITY });
  }
  throw new Error(found.lost);
}

/** Follows the municipality's rows to where it lives. @returns null if the home has never heard of it; or how it was lost */
async function follow(env: Env, code: string): Promise<Located | { readonly lost: string } | null> {
  let name = HOME;
  let cameFrom: CameFrom | null = null;
  for (let hops = 0; hops < databasesOf(env).length + 2; hops += 1) {
    if (!isBound(env, name)) {
      return { lost: `no database is bound as ${name}` };
    }
    const standing = await readStanding(getDatabase(env, name), code);
    if (standing === null) {
      if (cameFrom === null) {
        return null;
      }
      return { lost: `the database ${name} has no row of the municipality ${code}` };
    }
    const { movedTo, stay } = standing.row;
    if (movedTo === null || livesAt(standing.row, cameFrom)) {
      return { ...standing, name };
    }
    cameFrom = { name, stay };
    name = movedTo;
  }
  return { lost: `the rows of the municipality ${code} point in a circle` };
}
