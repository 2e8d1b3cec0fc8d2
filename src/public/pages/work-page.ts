import { html } from 'hono/html';
import type { Text } from '../../base/text/text.ts';
import { type Asked, pageOf } from './page.ts';

const TITLES = {
  board: { en: 'Control room', it: 'Sala di controllo' },
  office: { en: 'Office', it: 'Ufficio' },
} as const satisfies Readonly<Record<string, Text>>;

const NEEDS_SCRIPT: Text = {
  en: 'This page needs JavaScript: the token must not be in an address.',
  it: 'Questa pagina ha bisogno di JavaScript: il token non deve finire in un indirizzo.',
};

/** The languages of the pages to work with. */
export const WORK_LANGUAGES = ['en', 'it'] as const;

/** The frame of a page to work with. Its script draws the rest, and has all other texts. */
export function workPage(asked: Asked, script: keyof typeof TITLES): Promise<string> {
  const language = asked.language === 'it' ? 'it' : 'en';
  return pageOf(asked, {
    ...{ title: TITLES[script][language], script, style: 'work' },
    body: html`<main id="${script}"><noscript><p class="notice">${NEEDS_SCRIPT[language]}</p></noscript></main>`,
  });
}
