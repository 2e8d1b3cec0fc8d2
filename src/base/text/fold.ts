/** A text as it is searched: accents, case and blanks around it do not count. */
export const fold = (text: string): string =>
  text.trim().normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
