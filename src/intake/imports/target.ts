import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import type { Grant } from '../../serving/access/grant.ts';
import { MISSING } from '../../serving/http/validation.ts';
import { type Municipality, readSourceAndAreas } from './target-table.ts';

/** The source that a session import is for, and what the codes of its lines mean. */
export interface SessionTarget {
  readonly sourceId: number;
  readonly sourceCode: string;
  /** Ids by code, of all areas of the municipality. */
  readonly areas: ReadonlyMap<string, number>;
  readonly openSessionMaxHours: number;
}

/**
 * The code of the source that a session import is for: the one its credential is bound to, else the one it names.
 *
 * @returns null when the call names another source than the credential is bound to: for that credential it does not exist
 * @throws Refusal `INVALID_REQUEST` when it must name one and does not
 */
export function sourceCodeOf(grant: Grant, asked: string | undefined): string | null {
  const code = asked ?? grant.sourceCode;
  if (code === null) {
    refuseFields([{ path: 'source_code', message: MISSING }]);
  }
  return grant.sourceCode === null || grant.sourceCode === code ? code : null;
}

/**
 * The source, and the areas that its sessions may name.
 *
 * @param sourceCode null for none
 * @throws Refusal `SOURCE_NOT_FOUND` for one that is unknown or inactive
 */
export async function readSessionTarget(
  db: D1Database,
  municipality: Municipality,
  sourceCode: string | null,
): Promise<SessionTarget> {
  if (sourceCode === null) {
    refuse('SOURCE_NOT_FOUND');
  }
  const { source, areas } = await readSourceAndAreas(db, municipality, sourceCode);
  if (source === null) {
    refuse('SOURCE_NOT_FOUND');
  }
  return { sourceId: source.id, sourceCode, areas, openSessionMaxHours: source.openSessionMaxHours };
}
