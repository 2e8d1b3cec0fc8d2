// The control room: asks for the report once a minute with the token that was typed in, and draws what comes.

import { render, useEffect, useState } from 'hono/jsx/dom';
import { withSteeringShown } from '../../src/base/text/text.ts';
import {
  askCredential,
  askReport,
  listNames,
  type Refused,
  type Report,
  type Waiting,
} from './board/calls.ts';
import { Day } from './board/day.ts';
import { Picture } from './board/picture.tsx';
import { NO_AREAS } from './board/words.ts';
import { Button, Field, type FieldSpec, textOf } from './components/forms.tsx';
import { locale, NO_TOKEN, say, TOKEN_NOTE } from './language.ts';

/** The tab forgets it when it is closed; nothing else ever has it. */
const KEPT = 'board-token';
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** A picture that is older is no longer in the colours of a new one. */
const OLD_MINUTES = 2;
const LOADING = say('Loading…', 'Caricamento…');

const main = document.getElementById('board');
if (main === null) throw new Error('the page has no #board');

/** What is drawn. */
interface View {
  /** Empty before somebody has signed in. */
  readonly token: string;
  readonly message: string;
  /** The municipalities of the credential by their codes, with their names once they are known. */
  readonly names: ReadonlyMap<string, string>;
  readonly municipality: string;
  readonly type: string;
  readonly source: string;
  readonly report: Report | null;
  /** How old the report is, in whole minutes. */
  readonly minutes: number;
  readonly isWall: boolean;
}

let view: View = {
  ...{ token: '', message: '', names: new Map(), municipality: '', type: 'facility', source: '' },
  ...{ report: null, minutes: 0, isWall: location.hash === '#wall' },
};
let redraw: (view: View) => void = () => {};
function draw(changed: Partial<View>): void {
  view = { ...view, ...changed };
  redraw(view);
}

const day = new Day();
let timer: ReturnType<typeof setTimeout> | undefined;
let heardAt = 0;
/** Of the newest question: what comes to an older one is dropped. */
let turn = 0;
function nextTurn(): number {
  clearTimeout(timer);
  turn += 1;
  return turn;
}

async function enter(token: string): Promise<void> {
  const own = nextTurn();
  draw({ message: LOADING });
  const outcome = await askCredential(token);
  if (own !== turn) return;
  switch (outcome.kind) {
    case 'refused':
      leave(adviceOn(outcome));
      return;
    case 'answer': {
      const { municipalities } = outcome.answer.credential;
      sessionStorage.setItem(KEPT, token);
      const names = new Map(municipalities.map((one) => [one, one]));
      draw({ token, names, municipality: municipalities[0] ?? '', source: '' });
      void nameMunicipalities();
      await ask();
      return;
    }
    default:
      again(outcome, () => enter(token));
  }
}

/** The token is of no use, or is not wanted any more: it is forgotten, and the way in is open again. */
function leave(message = ''): void {
  nextTurn();
  forget(message);
  sessionStorage.removeItem(KEPT);
  draw({ token: '' });
}

/** What was drawn belongs to another choice, and must not be shown below the new one. */
function forget(message: string): void {
  day.clear();
  draw({ report: null, message });
}

function choose(changed: Partial<View>): void {
  draw(changed);
  forget(LOADING);
  void ask();
}

async function ask(): Promise<void> {
  const own = nextTurn();
  const { token, municipality, type, source } = view;
  const outcome = await askReport(token, {
    municipality_code: municipality,
    area_type: type,
    source_id: source === '' ? null : Number(source),
  });
  if (own !== turn) return;
  switch (outcome.kind) {
    case 'answer':
      show(outcome.answer);
      askIn(outcome.answer.refresh_after_seconds);
      return;
    case 'refused':
      if (outcome.code === 'SOURCE_NOT_FOUND' && source !== '') {
        // It has gone.
        choose({ source: '' });
      } else if (OF_THE_CHOICE.includes(outcome.code)) {
        // The credential may report another choice, or this one again later.
        forget(outcome.code === 'NO_ACTIVE_FACILITIES' ? NO_AREAS : outcome.message);
        askIn(MINUTE_MS / SECOND_MS);
      } else {
        leave(adviceOn(outcome));
      }
      return;
    default:
      again(outcome, ask);
  }
}

/** Refusals of what was chosen. All others are of the token. */
const OF_THE_CHOICE = ['MUNICIPALITY_NOT_ALLOWED', 'SERVICE_DISABLED', 'NO_ACTIVE_FACILITIES'];

function askIn(seconds: number, call: () => Promise<void> = ask): void {
  timer = setTimeout(() => void call(), seconds * SECOND_MS);
}

/** Says when it asks again, and does. */
function again({ kind, retryAfterSeconds }: Waiting, call: () => Promise<void>): void {
  const time = timeIn().format(Date.now() + retryAfterSeconds * SECOND_MS);
  const message =
    kind === 'limited'
      ? say(
          `The credential’s budget is spent. Updates resume by themselves at ${time}.`,
          `Il limite della credenziale è esaurito. Riprende da solo alle ${time}.`,
        )
      : say(
          `The service cannot be reached. The page will try again at ${time}.`,
          `Il servizio non è raggiungibile. La pagina riprova alle ${time}.`,
        );
  draw({ message });
  askIn(retryAfterSeconds, call);
}

/** What a refusal says, and what to do about it. */
function adviceOn({ code, message }: Refused): string {
  if (code === 'TOKEN_INVALID') return NO_TOKEN;
  const needed = say('It needs the scope “report”. ', 'Serve l’ambito “report”. ');
  const asking = say('Ask your administrator.', 'Chiedi all’amministratore.');
  return `${message} ${code === 'SCOPE_NOT_ALLOWED' ? needed : ''}${asking}`;
}

function show(report: Report): void {
  heardAt = Date.now();
  day.add({ at: Date.parse(report.checked_at), count: report.totals.active_now ?? 0 }, report.timezone);
  draw({ report, message: '', minutes: 0 });
  // The first report brings the names that the credential does not know.
  nameMunicipality(report.municipality);
}

/** A credential knows codes. The names of public municipalities are public, the others come with their report. */
async function nameMunicipalities(): Promise<void> {
  for (const municipality of await listNames()) nameMunicipality(municipality);
}

function nameMunicipality({ code, name }: { readonly code: string; readonly name: string }): void {
  if (view.names.has(code)) draw({ names: new Map(view.names).set(code, withSteeringShown(name)) });
}

const timeIn = (timeZone?: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(locale, { timeStyle: 'short', ...(timeZone && { timeZone }) });

/** When the report was made, and how old it is if it is old. */
function ageOf({ checked_at, timezone }: Report, minutes: number): string {
  const time = timeIn(timezone).format(Date.parse(checked_at));
  const old = say(`. These figures are ${minutes} min old`, `. Questi dati hanno ${minutes} min`);
  return say(`As of ${time}`, `Situazione alle ${time}`) + (minutes >= OLD_MINUTES ? old : '');
}

function ControlRoom() {
  const [shown, setShown] = useState(view);
  redraw = setShown;
  const { token, message, report, minutes } = shown;
  return (
    <>
      <h1>{say('Control room', 'Sala di controllo')}</h1>
      <p class="said">
        <span role="status">{message}</span>
        <span>{report && ageOf(report, minutes)}</span>
      </p>
      {token === '' ? <SignIn /> : <Board {...shown} />}
    </>
  );
}

function SignIn() {
  useEffect(() => document.querySelector('input')?.focus(), []);
  const send = (event: Event): void => {
    event.preventDefault();
    const { currentTarget: form } = event;
    if (!(form instanceof HTMLFormElement)) return;
    void enter(textOf(new FormData(form), 'token'));
    form.reset();
  };
  const token = say('Access token', 'Token di accesso');
  return (
    <form class="card" onSubmit={send}>
      <p>
        {say(
          'How full streets and car parks are, now and in the next hour. You need a credential for the report.',
          'Quanto sono occupate strade e parcheggi, adesso e nella prossima ora. Serve una credenziale per il report.',
        )}
      </p>
      <Field spec={['token', token, 'password', { required: true, note: TOKEN_NOTE }]} />
      <button type="submit" class="main">
        {say('Open', 'Apri')}
      </button>
    </form>
  );
}

function Board({ names, municipality, type, source, report, minutes, isWall }: View) {
  const types = [
    ['facility', say('Car parks', 'Parcheggi')],
    ['street', say('Streets', 'Strade')],
  ] as const;
  const none = ['', say('None', 'Nessuna')] as const;
  const sources = (report?.sources ?? [])
    .filter(({ active }) => active)
    .map(({ id, name }) => [String(id), withSteeringShown(name)] as const);
  const choices: FieldSpec[] = [
    [
      'municipality',
      say('Municipality', 'Comune'),
      [...names],
      { value: municipality, onChosen: (one) => choose({ municipality: one, source: '' }) },
    ],
    ['type', say('Areas', 'Aree'), types, { value: type, onChosen: (one) => choose({ type: one }) }],
    [
      'source',
      say('Share of a source', 'Quota di una sorgente'),
      [none, ...sources],
      { value: source, onChosen: (one) => choose({ source: one }) },
    ],
  ];
  return (
    <div class={`${isWall ? 'wall' : ''} ${minutes >= OLD_MINUTES ? 'stale' : ''}`}>
      <div class="controls">
        {choices.map((spec) => (
          <Field key={spec[0]} spec={spec} />
        ))}
        <a href="#wall" class="button">
          {say('Wall screen', 'Schermo a parete')}
        </a>
        <Button label={say('Sign out', 'Esci')} onClick={() => leave()} />
      </div>
      <a href="#board" class="leave button">
        {say('Leave the wall screen', 'Esci dallo schermo a parete')}
      </a>
      {report !== null && <Picture {...{ report, day, width: main?.clientWidth ?? 0 }} />}
    </div>
  );
}

render(<ControlRoom />, main);
setInterval(() => {
  const minutes = Math.floor((Date.now() - heardAt) / MINUTE_MS);
  if (view.report !== null && minutes !== view.minutes) draw({ minutes });
}, 5 * SECOND_MS);
addEventListener('online', () => view.token !== '' && void ask());
addEventListener('hashchange', () => {
  const isWall = location.hash === '#wall';
  draw({ isWall });
  if (isWall) void document.documentElement.requestFullscreen?.().catch(() => {});
  else if (document.fullscreenElement) void document.exitFullscreen();
});
const kept = sessionStorage.getItem(KEPT);
if (kept !== null) void enter(kept);
