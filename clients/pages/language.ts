import type { Language } from '../../src/base/text/text.ts';

/** The language of the page: its address chose it. */
export const language: Language = document.documentElement.lang === 'it' ? 'it' : 'en';

/** For `Intl`. */
export const locale = language === 'it' ? 'it-IT' : 'en-GB';

/** A text in the page's language. */
export const say = (english: string, italian: string): string => (language === 'it' ? italian : english);

/** What to do about a token that was mistyped. */
export const NO_TOKEN = say(
  'This is not an access token of this service. Copy all of it, including pev_at_.',
  'Non è un token di accesso di questo servizio. Copialo intero, da pev_at_ in poi.',
);

/** What becomes of a token that is typed in. */
export const TOKEN_NOTE = say(
  'It begins with pev_at_. It stays in this tab, and is forgotten when you close it.',
  'Comincia con pev_at_. Resta in questa scheda, e sparisce quando la chiudi.',
);

/** Whether a text can be in a header, as each token can. */
export const isHeaderText = (text: string): boolean => /^[!-~]+$/.test(text);
