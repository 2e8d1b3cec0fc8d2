import { integer, text } from 'drizzle-orm/sqlite-core';
import type { Instant } from '../../../domain/instant.ts';
import type { Plate } from '../../../domain/plate.ts';

/** Of a tenant, municipality, area, source or type, in characters. */
export const CODE_LENGTH = 80;
/** Of any name, in characters. */
export const NAME_LENGTH = 200;

/** An instant: milliseconds since the epoch, UTC. */
export const instantColumn = (name: string) => integer(name).$type<Instant>();

/** A plate, normalized; a pseudonym once it was erased. */
export const plateColumn = () => text('plate').$type<Plate>();

/** The highest revision of a line; null if no line had one. A higher one alone makes no version. */
export const revisionColumn = () => integer('revision');

/** A boolean, stored as 0 or 1. */
export const flag = (name: string) => integer(name, { mode: 'boolean' });

/** A code, which never changes, and a name for people. */
export const codeAndName = () => ({ code: text('code').notNull(), name: text('name').notNull() });
