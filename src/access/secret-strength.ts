/** What a secret of the Worker has at least: a shorter one could be guessed by whoever holds a single token. */
export const LEAST_SECRET_CHARACTERS = 32;

/** Whether a secret of the Worker, a key of `TOKEN_KEY` or `ADMIN_TOKEN`, is long enough to be relied on. */
export const isStrongSecret = (secret: string): boolean => [...secret].length >= LEAST_SECRET_CHARACTERS;
