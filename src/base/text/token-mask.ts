/** Anything that looks like one of our tokens, whole or clipped. */
const LOOKS_LIKE_A_TOKEN = /pev_(?:at|ak)_[0-9A-Za-z_]*/gi;

/** The text with everything that looks like one of our tokens masked. Use it for anything that is logged or stored. */
export function maskTokens(text: string): string {
  return text.replace(LOOKS_LIKE_A_TOKEN, 'pev_***');
}

/** Whether a text holds anything that {@link maskTokens} would mask. */
export function holdsToken(text: string): boolean {
  return text.search(LOOKS_LIKE_A_TOKEN) !== -1;
}
