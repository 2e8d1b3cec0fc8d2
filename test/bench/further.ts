import { env } from 'cloudflare:workers';

/** The further databases of a Worker of the bench, where every binding with such a name is one. */
export const FURTHER = Object.fromEntries(
  Object.entries(env).filter(([name]) => name.startsWith('DB_')) as [string, D1Database][],
);
