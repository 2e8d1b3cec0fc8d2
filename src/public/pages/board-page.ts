import { html } from 'hono/html';
import { BOARD_TEXTS } from './board-texts.ts';
import { type Asked, pageOf } from './page.ts';

/** The control room before sign-in. Its script does the rest, with the texts in the page. */
export function boardPage(asked: Asked): Promise<string> {
  const texts = BOARD_TEXTS[asked.language];
  return pageOf(asked, {
    ...{ title: texts.title, script: 'board', style: 'work' },
    // The field has no name, so that submitting the form cannot put the token into an address.
    body: html`<main id="board" data-texts="${JSON.stringify(texts)}" data-locale="${asked.texts.locale}">
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
