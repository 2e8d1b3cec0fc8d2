// The control room: asks for the report once a minute with the token that was typed in, and draws what comes.

import { render, useState } from 'hono/jsx/dom';
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
import { ORDERS, type Order, Picture } from './board/picture.tsx';
import { put, type Words } from './board/words.ts';
import { Button, Field, type FieldSpec } from './components/forms.tsx';

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
let token = '';
let timer: ReturnType<typeof setTimeout> | undefined;
/** Of the newest question: what comes to an older one is dropped. */
let turn = 0;
let heardAt = 0;

/** What is drawn. */
interface View {
  /** The municipalities of the credential by their codes, with their names once they are known. */
  readonly names: ReadonlyMap<string, string>;
  readonly municipality: string;
  readonly type: string;
  readonly source: string;
  readonly order: Order;
  readonly report: Report | null;
  /** There are no areas of the type. */
  readonly isEmpty: boolean;
}
const NOTHING: View = {
  ...{ names: new Map(), municipality: '', type: 'facility', source: '', order: ORDERS[0] },
  ...{ report: null, isEmpty: false },
};
let view = NOTHING;
let redraw: (view: View) => void = () => {};
const draw = (changed: Partial<View>): void => {
  view = { ...view, ...changed };
  redraw(view);
};

signIn.addEventListener('submit', (event) => {
  event.preventDefault();
  const typed = tokenField.value.trim();
  tokenField.value = '';
  if (typed !== '') void enter(typed);
});
setInterval(showAge, 5 * SECOND_MS);
addEventListener('online', () => token !== '' && void ask());
// The style does the rest: a wall screen is the page at its address, also after a reload.
addEventListener('hashchange', () => {
  if (location.hash === '#wall') void document.documentElement.requestFullscreen?.().catch(() => {});
  else if (document.fullscreenElement) void document.exitFullscreen();
});

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
  signIn.hidden = false;
  say(code === null ? '' : refusalText(code));
  tokenField.focus();
}

/** What was drawn belongs to another choice, and must not be shown below the new one. */
function forget(): void {
  day.clear();
  draw({ report: null, isEmpty: false });
  state.textContent = '';
  picture.classList.remove('stale');
}

function open({ municipalities }: Credential): void {
  forget();
  draw({
    ...NOTHING,
    names: new Map(municipalities.map((one) => [one, one])),
    municipality: municipalities[0] ?? '',
  });
  render(<Board />, picture);
  picture.hidden = false;
  signIn.hidden = true;
}

function choose(changed: Partial<View>): void {
  draw(changed);
  forget();
  say(texts.loading);
  void ask();
}

function Board() {
  const [shown, setShown] = useState(view);
  redraw = setShown;
  const { names, municipality, type, source, order, report, isEmpty } = shown;
  const sources = report?.sources ?? [];
  const facility = [
    ['facility', texts.facility],
    ['street', texts.street],
  ] as const;
  const named = sources.map(({ id, name }) => [String(id), withSteeringShown(name)] as const);
  const orders = ORDERS.map((one) => [one, texts[one]] as const);
  const ordered = (value: string): void => draw({ order: ORDERS.find((one) => one === value) ?? order });
  const choices: FieldSpec[] = [
    [
      'municipality',
      texts.municipality,
      [...names],
      { value: municipality, onChosen: (one) => choose({ municipality: one, source: '' }) },
    ],
    ['type', texts.areas, facility, { value: type, onChosen: (one) => choose({ type: one }) }],
    [
      'source',
      texts.source,
      [['', texts.allSources], ...named],
      { value: source, onChosen: (one) => choose({ source: one }) },
    ],
    ['order', texts.order, orders, { value: order, onChosen: ordered }],
  ];
  return (
    <>
      <div class="controls">
        {choices.map((spec) => (
          <Field key={spec[0]} spec={spec} />
        ))}
        <a href="#wall" class="button">
          {texts.wall}
        </a>
        <Button label={texts.signOut} onClick={() => leave(null)} />
      </div>
      <a href="#board" class="leave button">
        {texts.leaveWall}
      </a>
      {isEmpty && <p>{texts.noAreas}</p>}
      {report !== null && <Picture {...{ report, day, order, words, width: picture.clientWidth }} />}
    </>
  );
}

async function ask(): Promise<void> {
  clearTimeout(timer);
  turn += 1;
  const asked = turn;
  const { municipality, type, source } = view;
  const outcome = await askReport(token, {
    municipality_code: municipality,
    area_type: type,
    source_id: source === '' ? null : Number(source),
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
      if (outcome.code === 'SOURCE_NOT_FOUND' && source !== '') {
        // Another municipality's, or one that is gone.
        draw({ source: '' });
        await ask();
      } else if (outcome.code === 'NO_ACTIVE_FACILITIES') {
        forget();
        draw({ isEmpty: true });
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

function show(report: Report): void {
  heardAt = Date.now();
  say('');
  day.add({ at: Date.parse(report.checked_at), count: report.totals.active_now ?? 0 }, report.timezone);
  // The first report brings the names that the credential does not know.
  nameMunicipality(report.municipality.code, report.municipality.name);
  draw({ report, isEmpty: false });
  showAge();
}

/** A credential knows codes. The names of public municipalities are public, the others come with their report. */
async function nameMunicipalities(): Promise<void> {
  for (const { code, name } of await listNames()) nameMunicipality(code, name);
}

function nameMunicipality(code: string, name: string): void {
  if (view.names.has(code)) draw({ names: new Map(view.names).set(code, withSteeringShown(name)) });
}

function showAge(): void {
  const { report } = view;
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

/** What to do about a token, by the refusal. */
const REFUSALS: Readonly<Record<string, string>> = {
  TOKEN_INVALID: texts.invalid,
  TOKEN_MISSING: texts.invalid,
  TOKEN_EXPIRED: texts.expired,
  TOKEN_REVOKED: texts.revoked,
  SCOPE_NOT_ALLOWED: texts.noScope,
  IP_NOT_ALLOWED: texts.address,
  TENANT_DISABLED: texts.disabled,
};
const refusalText = (code: string): string => REFUSALS[code] ?? put(texts.refused, { code });

/** Read out where it changes. */
function say(text: string): void {
  if (message.textContent !== text) message.textContent = text;
}

function part(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}
