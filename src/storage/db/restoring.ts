import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { DAY_MS } from '../../domain/instant.ts';
import { municipalities, restores } from './schema/index.ts';
import { DATABASE_CLOCK, literal } from './sql.ts';

/** How long deletion by age waits for the next call of a restore, in milliseconds. */
const WAITING_MS = DAY_MS;

/**
 * The condition that no restore of a municipality is under way, or that its last call was long ago. Deletion by age could take
 * rows that the backup's later parts refer to.
 */
export const isNotRestoring = (id: SQLWrapper): SQL =>
  sql`${id} not in (
    select ${restores.municipalityId} from ${restores}
    cross join ${municipalities} on ${municipalities.id} = ${restores.municipalityId}
    where ${municipalities.restoring} and ${restores.calledAt} > ${DATABASE_CLOCK} - ${literal(WAITING_MS)})`;
