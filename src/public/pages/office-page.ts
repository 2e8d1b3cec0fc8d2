import { html } from 'hono/html';
import { type Asked, pageOf } from './page.ts';
import { TEXTS } from './texts.ts';

/** The frame of the office's page, in one of its two languages. Its script, which has all other texts, does the rest. */
export function officePage(asked: Asked): Promise<string> {
  const language = asked.language === 'it' ? 'it' : 'en';
  const [title, needsScript] = FRAME[language];
  return pageOf(
    { ...asked, language, texts: TEXTS[language] },
    {
      ...{ title, script: 'office', style: 'work', languages: ['it', 'en'] },
      body: html`<main id="office"><noscript><p class="notice">${needsScript}</p></noscript></main>`,
    },
  );
}

const FRAME = {
  en: ['Office', 'This page needs JavaScript: the token must not be in an address.'],
  it: ['Ufficio', 'Questa pagina ha bisogno di JavaScript: il token non deve finire in un indirizzo.'],
} as const;
