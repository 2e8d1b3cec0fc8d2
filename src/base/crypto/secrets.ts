/** Minimum length of a secret of the Worker. The holder of a single token could guess a shorter one. */
export const MIN_SECRET_CHARACTERS = 32;

/** Whether a secret of the Worker, a key of `TOKEN_KEY` or `ADMIN_TOKEN`, is long enough to be relied on. */
export const isStrongSecret = (secret: string): boolean => [...secret].length >= MIN_SECRET_CHARACTERS;

/** The keys of a comma-separated secret, in order, strong or not. */
export const keysIn = (secret = ''): string[] =>
  secret
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
