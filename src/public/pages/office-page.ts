import { html } from 'hono/html';
import { BOARD_TEXTS } from './board-texts.ts';
import { type Asked, pageOf } from './page.ts';
import { TEXTS } from './texts.ts';

/** The frame of the office's page, in one of its two languages. Its script, which has all other texts, does the rest. */
export function officePage(asked: Asked): Promise<string> {
  const [language, title] =
    asked.language === 'it' ? (['it', 'Ufficio'] as const) : (['en', 'Office'] as const);
  const { needsScript } = BOARD_TEXTS[language];
  return pageOf(
    { ...asked, language, texts: TEXTS[language] },
    {
      ...{ title, script: 'office', style: 'work', languages: ['it', 'en'] },
      body: html`<main id="office"><noscript><p class="notice">${needsScript}</p></noscript></main>`,
    },
  );
}
