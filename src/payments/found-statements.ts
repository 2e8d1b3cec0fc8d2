import { sql } from 'drizzle-orm';
import { columns, statement } from '../db/sql.ts';
import { fromMunicipalities } from '../lookups/municipality-table.ts';
import { OF_KEY, OF_WINDOW } from './found-parts.ts';

/** Of a municipality that lives here. */
export const FIND_WINDOW = statement(() => sql`select ${columns(OF_WINDOW)} ${fromMunicipalities('code')}`);
export const FIND_KEY = statement(() => sql`select ${columns(OF_KEY)} ${fromMunicipalities('code')}`);
