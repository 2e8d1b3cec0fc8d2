// The control room: asks for the report once a minute with the token that was typed in, and draws what comes.

import { withSteeringShown } from '../../src/base/text/text.ts';
import type { BoardTexts } from '../../src/public/pages/board-texts.ts';
import {
  askCredential,
  askReport,
  type Credential,
  listNames,
  type Outcome,
  type Report,
} from './board/calls.ts';
import { Day } from './board/day.ts';
import { element } from './board/elements.ts';
import { ORDERS, type Order, pictureOf } from './board/picture.ts';
import { put, type Words } from './board/words.ts';

/** The tab forgets it when it is closed; nothing else ever has it. */
const KEPT = 'board-token';
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** A picture that is older is no longer in the colours of a new one. */
const OLD_MS = 2 * MINUTE_MS;

const board = part('board');
const signIn = part('sign-in');
const tokenField = part('token') as HTMLInputElement;
const message = part('message');
const picture = part('picture');
// The page has written both: see `src/public/pages/board-page.ts`.
const texts = JSON.parse(board.dataset.texts ?? '{}') as BoardTexts;
const words: Words = { texts, locale: board.dataset.locale ?? 'en-GB' };

const day = new Day();
const state = part('state');
const drawn = element('div');
let token = '';
let timer: ReturnType<typeof setTimeout> | undefined;
/** Of the newest question: what comes to an older one is dropped. */
let turn = 0;
let report: Report | null = null;
let order: Order = ORDERS[0];
let heardAt = 0;
let choices: {
  readonly municipality: HTMLSelectElement;
  readonly type: HTMLSelectElement;
  readonly source: HTMLSelectElement;
};

signIn.addEventListener('submit', (event) => {
  event.preventDefault();
  const typed = tokenField.value.trim();
  tokenField.value = '';
  if (typed !== '') void enter(typed);
});
setInterval(showAge, 5 * SECOND_MS);
addEventListener('online', () => token !== '' && void ask());

const kept = sessionStorage.getItem(KEPT);
if (kept !== null) void enter(kept);

async function enter(typed: string): Promise<void> {
  // Whoever types another token does not wait for the one before.
  clearTimeout(timer);
  turn += 1;
  const entered = turn;
  say(texts.loading);
  // Nothing else can be in a header.
  const outcome: Outcome<Credential> = /^[\x21-\x7e]+$/.test(typed)
    ? await askCredential(typed)
    : { kind: 'refused', code: 'TOKEN_INVALID' };
  if (entered !== turn) return;
  switch (outcome.kind) {
    case 'refused':
      leave(outcome.code);
      return;
    case 'limited':
    case 'away':
      sayWaiting(outcome);
      timer = setTimeout(() => void enter(typed), outcome.retryAfterSeconds * SECOND_MS);
      return;
    case 'answer':
      if (!outcome.answer.scopes.includes('report')) {
        leave('SCOPE_NOT_ALLOWED');
        return;
      }
      token = typed;
      sessionStorage.setItem(KEPT, typed);
      open(outcome.answer);
      void nameMunicipalities();
      await ask();
  }
}

/** The token is of no use, or is not wanted any more: it is forgotten, and the way in is open again. */
function leave(code: string | null): void {
  clearTimeout(timer);
  turn += 1;
  token = '';
  forget();
  sessionStorage.removeItem(KEPT);
  picture.hidden = true;
  picture.replaceChildren();
  signIn.hidden = false;
  say(code === null ? '' : refusalText(code));
  tokenField.focus();
}

/** What was drawn belongs to another choice, and must not be shown below the new one. */
function forget(): void {
  report = null;
  day.clear();
  drawn.replaceChildren();
  state.textContent = '';
  picture.classList.remove('stale');
}

function open({ municipalities }: Credential): void {
  const another = () => {
    forget();
    say(texts.loading);
    void ask();
  };
  const select = (
    label: string,
    options: readonly (readonly [string, string])[],
    chosen: () => void = another,
  ): HTMLSelectElement => {
    const made = element('select', {}, ...options.map(([value, text]) => new Option(text, value)));
    made.addEventListener('change', chosen);
    controls.append(element('label', {}, label, made));
    return made;
  };
  const controls = element('div', { class: 'controls' });
  choices = {
    municipality: select(
      texts.municipality,
      municipalities.map((code) => [code, code]),
    ),
    type: select(texts.areas, [
      ['facility', texts.facility],
      ['street', texts.street],
    ]),
    source: select(texts.source, [['', texts.allSources]]),
  };
  const orders = select(
    texts.order,
    ORDERS.map((value) => [value, texts[value]]),
    () => {
      order = ORDERS.find((one) => one === orders.value) ?? order;
      if (report !== null) draw(report);
    },
  );
  orders.value = order;
  const out = element('button', { type: 'button' }, texts.signOut);
  out.addEventListener('click', () => leave(null));
  // The style does the rest: a wall screen is the page at its address, also after a reload.
  const wall = element('a', { href: '#wall', class: 'button' }, texts.wall);
  wall.addEventListener('click', () => void document.documentElement.requestFullscreen?.().catch(() => {}));
  const leaveWall = element('a', { href: '#board', class: 'leave button' }, texts.leaveWall);
  leaveWall.addEventListener('click', () => void (document.fullscreenElement && document.exitFullscreen()));
  controls.append(wall, out);
  forget();
  picture.replaceChildren(controls, leaveWall, drawn);
  picture.hidden = false;
  signIn.hidden = true;
}

async function ask(): Promise<void> {
  clearTimeout(timer);
  turn += 1;
  const asked = turn;
  const { municipality, type, source } = choices;
  const outcome = await askReport(token, {
    municipality_code: municipality.value,
    area_type: type.value,
    source_id: source.value === '' ? null : Number(source.value),
  });
  if (asked !== turn) return;
  switch (outcome.kind) {
    case 'answer':
      show(outcome.answer);
      again(outcome.answer.refresh_after_seconds);
      return;
    case 'limited':
    case 'away':
      sayWaiting(outcome);
      again(outcome.retryAfterSeconds);
      return;
    case 'refused':
      if (outcome.code === 'SOURCE_NOT_FOUND' && source.value !== '') {
        // Another municipality's, or one that is gone.
        source.value = '';
        await ask();
      } else if (outcome.code === 'NO_ACTIVE_FACILITIES') {
        forget();
        drawn.append(element('p', {}, texts.noAreas));
        say('');
        again(MINUTE_MS / SECOND_MS);
      } else if (OF_THE_CHOICE.includes(outcome.code)) {
        // The credential may report another municipality, or this one again later.
        forget();
        say(refusalText(outcome.code));
        again(MINUTE_MS / SECOND_MS);
      } else {
        leave(outcome.code);
      }
  }
}

/** Refusals of the chosen municipality. All others are of the token. */
const OF_THE_CHOICE = ['MUNICIPALITY_NOT_ALLOWED', 'SERVICE_DISABLED'];

const again = (seconds: number): void => {
  timer = setTimeout(() => void ask(), seconds * SECOND_MS);
};

function show(answer: Report): void {
  report = answer;
  heardAt = Date.now();
  say('');
  const at = Date.parse(answer.checked_at);
  day.add({ at, count: answer.totals.active_now ?? 0 }, answer.timezone);
  nameChoices(answer);
  draw(answer);
  showAge();
}

function draw(answer: Report): void {
  const scrolled = drawn.querySelector('.scroll')?.scrollLeft ?? 0;
  const isFocused = drawn.contains(document.activeElement);
  drawn.replaceChildren(...pictureOf(answer, day, order, words, drawn.clientWidth));
  const table = drawn.querySelector<HTMLElement>('.scroll');
  if (table !== null) {
    table.scrollLeft = scrolled;
    if (isFocused) table.focus({ preventScroll: true });
  }
}

/** A credential knows codes. The names of public municipalities are public, the others come with their report. */
async function nameMunicipalities(): Promise<void> {
  for (const { code, name } of await listNames()) nameMunicipality(code, name);
}

function nameMunicipality(code: string, name: string): void {
  const option = [...choices.municipality.options].find(({ value }) => value === code);
  if (option !== undefined) option.text = withSteeringShown(name);
}

/** The first report brings the names that the credential does not know. */
function nameChoices({ municipality, sources }: Report): void {
  nameMunicipality(municipality.code, municipality.name);
  const { source } = choices;
  const { value } = source;
  const options = sources.map(({ id, name }) => new Option(withSteeringShown(name), String(id)));
  source.replaceChildren(new Option(texts.allSources, ''), ...options);
  source.value = options.some((option) => option.value === value) ? value : '';
}

function showAge(): void {
  if (report === null) return;
  const age = Date.now() - heardAt;
  const isOld = age >= OLD_MS;
  picture.classList.toggle('stale', isOld);
  const time = timeIn(report.timezone).format(Date.parse(report.checked_at));
  const minutes = String(Math.floor(age / MINUTE_MS));
  const text = put(texts.asOf, { time }) + (isOld ? `. ${put(texts.old, { minutes })}` : '');
  if (state.textContent !== text) state.textContent = text;
}

function sayWaiting({
  kind,
  retryAfterSeconds,
}: {
  kind: 'limited' | 'away';
  retryAfterSeconds: number;
}): void {
  const time = timeIn().format(Date.now() + retryAfterSeconds * SECOND_MS);
  say(put(kind === 'limited' ? texts.limited : texts.away, { time }));
}

const timeIn = (timeZone?: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(words.locale, { timeStyle: 'short', ...(timeZone && { timeZone }) });

function refusalText(code: string): string {
  switch (code) {
    case 'TOKEN_INVALID':
    case 'TOKEN_MISSING':
      return texts.invalid;
    case 'TOKEN_EXPIRED':
      return texts.expired;
    case 'TOKEN_REVOKED':
      return texts.revoked;
    case 'SCOPE_NOT_ALLOWED':
      return texts.noScope;
    case 'IP_NOT_ALLOWED':
      return texts.address;
    case 'TENANT_DISABLED':
      return texts.disabled;
    default:
      return put(texts.refused, { code });
  }
}

/** Read out where it changes. */
function say(text: string): void {
  if (message.textContent !== text) message.textContent = text;
}

function part(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}
