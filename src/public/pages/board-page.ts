import { BOARD_TEXTS } from './board-texts.ts';
import { html } from './html.ts';
import { documentOf } from './layout.ts';
import { languageOf, type PageQuery } from './page-query.ts';
import { BOARD_SCRIPT } from './script-paths.ts';
import { TEXTS } from './texts.ts';

/** The control room before anybody has signed in. Its script does the rest, in the texts that come with the page. */
export function boardPage(query: PageQuery): string {
  const { language } = query;
  const texts = BOARD_TEXTS[language];
  return documentOf({
    title: texts.title,
    path: '/board',
    query: languageOf(query),
    style: 'board',
    script: BOARD_SCRIPT,
    // The field has no name: whatever sends the form, the token is in no address.
    body: html`<main id="board" data-texts="${JSON.stringify(texts)}" data-locale="${TEXTS[language].locale}">
<h1>${texts.title}</h1>
<div class="said" data-longest="${texts.limited}">
<p id="message" class="notice" role="status"></p>
</div>
<noscript><p class="notice">${texts.needsScript}</p></noscript>
<form id="sign-in">
<p class="intro">${texts.intro}</p>
<label for="token">${texts.token}</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" aria-describedby="token-note" required>
<p id="token-note" class="note">${texts.tokenNote}</p>
<button>${texts.signIn}</button>
</form>
<div id="wall"><div id="picture" hidden></div></div>
</main>`,
  });
}
