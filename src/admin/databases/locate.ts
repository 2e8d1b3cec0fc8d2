import { databaseNamed, databasesOf, HOME } from '../../databases/bindings.ts';
import { type CameFrom, livesAt } from '../../databases/lives-at.ts';
import type { Env } from '../../env.ts';
import { Refusal } from '../../errors/refusal.ts';
import { readStanding, type Standing } from './moves-table.ts';

/** A municipality where it lives. */
export interface Located extends Standing {
  /** The name of its database. */
  readonly name: string;
}

/** @throws Refusal `NOT_FOUND` for a municipality that nobody knows */
export async function locate(env: Env, code: string): Promise<Located> {
  const located = await follow(env, code);
  if (located === null) {
    throw new Refusal('NOT_FOUND', { message: UNKNOWN_MUNICIPALITY });
  }
  return located;
}

/** Follows the municipality's rows to where it lives. @returns null if the home has never heard of it */
async function follow(env: Env, code: string): Promise<Located | null> {
  let name = HOME;
  let cameFrom: CameFrom | null = null;
  for (let hops = 0; hops < databasesOf(env).length + 2; hops += 1) {
    const db = databaseNamed(env, name);
    const standing = await readStanding(db, code);
    if (standing === null) {
      if (cameFrom === null) {
        return null;
      }
      throw new Error(`the database ${name} has no row of the municipality ${code}`);
    }
    const { movedTo, stay } = standing.row;
    if (movedTo === null || livesAt(standing.row, cameFrom)) {
      return { ...standing, name };
    }
    cameFrom = { name, stay };
    name = movedTo;
  }
  throw new Error(`the rows of the municipality ${code} point in a circle`);
}

const UNKNOWN_MUNICIPALITY = {
  en: 'There is no municipality with this code.',
  it: 'Non c’è un comune con questo codice.',
};
