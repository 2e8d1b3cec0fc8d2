import { BOARD_TEXTS } from './board-texts.ts';
import { BOARD_SCRIPT, documentOf, html } from './layout.ts';
import { languageOf, type PageQuery } from './page-query.ts';
import { TEXTS } from './texts.ts';

/** The control room before sign-in. Its script does the rest, with the texts in the page. */
export function boardPage(query: PageQuery): string {
  const texts = BOARD_TEXTS[query.language];
  return documentOf({
    ...{ title: texts.title, path: '/board', query: languageOf(query), script: BOARD_SCRIPT },
    // The field has no name, so that submitting the form cannot put the token into an address.
    body: html`<main id="board" data-texts="${JSON.stringify(texts)}" data-locale="${TEXTS[query.language].locale}">
<h1>${texts.title}</h1>
<p class="said"><span id="message" role="status"></span><span id="state"></span></p>
<noscript><p class="notice">${texts.needsScript}</p></noscript>
<form id="sign-in" class="card">
<p>${texts.intro}</p>
<label for="token">${texts.token}</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" aria-describedby="token-note" required>
<p id="token-note" class="note">${texts.tokenNote}</p>
<button class="main">${texts.signIn}</button>
</form>
<div id="wall"><div id="picture" hidden></div></div>
</main>`,
  });
}
