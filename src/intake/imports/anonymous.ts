import { retentionDays } from '../../base/platform/retention-days.ts';
import { DAY_MS, type Instant, instant } from '../../domain/instant.ts';
import { sessionOverAt } from '../../domain/parking-session.ts';
import type { Env } from '../../env.ts';
import { isPseudonym } from '../../storage/plate-digest/erased-plate.ts';
import type { SessionRow } from './session-line.ts';
import type { SessionTarget } from './target.ts';

/**
 * Keeps anonymized sessions anonymous: a line of a session that has lost its plate does not bring it back. Otherwise an old
 * file that is sent again would restore plates, and the next run of the retention would remove them again.
 */
export class AnonymousSessions {
  readonly #endedBefore: number;
  readonly #openSessionMaxHours: number;

  constructor(env: Env, now: Instant, { openSessionMaxHours }: Pick<SessionTarget, 'openSessionMaxHours'>) {
    const { plates } = retentionDays(env);
    this.#endedBefore = plates === null ? Number.NEGATIVE_INFINITY : instant(now - plates * DAY_MS);
    this.#openSessionMaxHours = openSessionMaxHours;
  }

  /**
   * The session, with the pseudonym that it has.
   *
   * @param stored the sessions as they are stored, by id
   */
  keep(row: SessionRow, stored: ReadonlyMap<string, SessionRow>): SessionRow {
    const plate = stored.get(row.sessionId)?.plate;
    return plate !== undefined && isPseudonym(plate) && this.#hasEnded(row) ? { ...row, plate } : row;
  }

  #hasEnded(row: SessionRow): boolean {
    return sessionOverAt({ ...row, openSessionMaxHours: this.#openSessionMaxHours }) < this.#endedBefore;
  }
}
