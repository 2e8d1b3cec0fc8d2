import { ERROR_TEXT } from '../../../src/base/errors/error-codes.ts';
import type { Text } from '../../../src/base/text/text.ts';
import { ACCESS_REASON_TEXT } from '../../../src/core/entitlement/texts.ts';
import type { Answer } from '../../client/operation-types.ts';
import { Button } from '../components/forms.tsx';
import { language, say } from '../language.ts';
import { recordText } from './record-text.ts';
import { type City, named, useSession } from './session.ts';
import { Notice, P } from './shown.tsx';
import type { Times } from './times.ts';
import { KIND, LOOK, SESSION_STATUS, TITLE_REASON, wordFor } from './words.ts';

type Evidence = Answer<'searchEvidence'>;
type Verdict = Evidence['as_known_then'];
type Refused = { readonly refused: unknown };
type Change = Evidence['history'][number];

/** An objection on paper: what was known when the officer asked, what is known now, and what arrived in between. */
export function Story({ evidence }: { readonly evidence: Evidence }) {
  const { times, city, call } = useSession();
  const { plate, municipality, area, as_known_then: before, as_known_now: now } = evidence;
  const at = times.exact(evidence.at);
  const [knownAt, today] = [times.exact(evidence.known_at), times.exact(evidence.generated_at)];
  const since = times.exact(evidence.checks_since);
  const where = area ? `${named(area.name, area.code)}, ${municipality.name}` : municipality.name;
  const late = evidence.sources.filter(({ status }) => status !== 'fresh' && status !== 'native');
  const differs = evidence.differs
    ? say('What is known today leads to another answer.', 'Ciò che si sa oggi porta a un’altra risposta.')
    : say('What is known today leads to the same answer.', 'Ciò che si sa oggi porta alla stessa risposta.');
  return (
    <article class="story">
      <h2>{say(`Objection: ${plate}`, `Ricorso: ${plate}`)}</h2>
      {warningsOf(evidence, times).map((warning) => (
        <Notice key={warning} kind="failure">
          <b>{warning}</b>
        </Notice>
      ))}
      <P
        en={`The question: was the vehicle ${plate} entitled to park in ${where} on ${at}?`}
        it={`La domanda: il veicolo ${plate} poteva sostare in ${where} il ${at}?`}
      />
      <h3>{say(`What was known on ${knownAt}`, `Che cosa si sapeva il ${knownAt}`)}</h3>
      <p>{verdictSentence(before, PAST)}</p>
      {'refused' in before || <Listed items={titlesOf(before, times)} />}
      <h3>{say(`What is known today, ${today}`, `Che cosa si sa oggi, ${today}`)}</h3>
      <p>
        <b>{differs}</b> {verdictSentence(now, PRESENT)}
      </p>
      {'refused' in now || <Listed items={titlesOf(now, times)} />}
      <h3>{say('What arrived in between', 'Che cosa è arrivato nel frattempo')}</h3>
      <Listed
        items={eventsOf(evidence, city, times)}
        {...(isWhole(evidence) && {
          none: say('Nothing has arrived since.', 'Da allora non è arrivato nulla.'),
        })}
      />
      <h3>{say('Which sources were late then', 'Quali sorgenti erano in ritardo')}</h3>
      <Listed
        items={late.map((source) => lateSentence(source, times))}
        none={say('All sources reported on time.', 'Tutte le sorgenti trasmettevano in tempo.')}
      />
      <h3>{say('Who looked', 'Chi ha verificato')}</h3>
      <Listed
        items={evidence.checks.map((check) => lookSentence(check, times))}
        none={say(
          `No check of this plate is logged around that time (log since ${since}).`,
          `Intorno a quel momento non è registrata alcuna verifica di questa targa (registro dal ${since}).`,
        )}
      />
      <p class="note">
        {say(`Drawn up on ${today} by`, `Redatto il ${today} da`)} {call.officerReference}.{' '}
        {say('Request', 'Richiesta')} {evidence.request_id}
      </p>
      <Button isMain label={say('Print', 'Stampa')} onClick={() => print()} />
    </article>
  );
}

/** A list of sentences, or the one that says that there are none. */
export function Listed({ items, none }: { readonly items: readonly string[]; readonly none?: string }) {
  if (items.length === 0) return none === undefined ? null : <p>{none}</p>;
  return (
    <ul>
      {items.map((item) => (
        <li key={item}>{item}</li>
      ))}
    </ul>
  );
}

/** Whether all versions that were found are listed. */
const isWhole = ({ history, history_count: found }: Evidence): boolean => found === history.length;

/** What a reader has to know before anything else: what is missing may prove nothing. */
function warningsOf(evidence: Evidence, times: Times): string[] {
  const { erased_at: erased, checks_since: since, at, history, checks } = evidence;
  const [erasedAt, loggedFrom] = [times.shown(erased), times.exact(since)];
  const [found, made] = [evidence.history_count, evidence.checks_count];
  return [
    erased !== null &&
      say(
        `This plate was erased at a person’s request on ${erasedAt}. What is missing below proves nothing.`,
        `Questa targa è stata cancellata su richiesta dell’interessato il ${erasedAt}. Ciò che qui manca non prova nulla.`,
      ),
    Date.parse(since) > Date.parse(at) &&
      say(
        `The log of checks reaches back to ${loggedFrom} only: a check that is missing below may have been made.`,
        `Il registro delle verifiche inizia il ${loggedFrom}: una verifica che qui manca può essere stata fatta.`,
      ),
    !isWhole(evidence) &&
      say(
        `Only the first ${history.length} of ${found} records are told here: what arrived later is missing.`,
        `Qui figurano solo le prime ${history.length} di ${found} registrazioni: manca ciò che è arrivato dopo.`,
      ),
    made > checks.length &&
      say(
        `Only the first ${checks.length} of ${made} checks are listed here.`,
        `Qui sono elencate solo le prime ${checks.length} di ${made} verifiche.`,
      ),
    erased === null &&
      history.length === 0 &&
      say(
        'Nothing is recorded under this plate around that moment. Look for a mistyped plate first.',
        'Sotto questa targa non è registrato nulla intorno a quel momento. Controlla prima che la targa sia scritta bene.',
      ),
  ].filter((warning) => warning !== false);
}

const PAST = {
  valid: say('A valid entitlement was known.', 'Risultava un titolo valido.'),
  notValid: say('No valid entitlement was known.', 'Non risultava alcun titolo valido.'),
  refused: say('A check could not have been answered:', 'Una verifica non avrebbe avuto risposta:'),
};
const PRESENT: typeof PAST = {
  valid: say('At that moment it had a valid entitlement.', 'In quel momento aveva un titolo valido.'),
  notValid: say('At that moment it had none.', 'In quel momento non ne aveva alcuno.'),
  refused: say('A check could not be answered:', 'Una verifica non avrebbe risposta:'),
};

function verdictSentence(verdict: Verdict, words: typeof PAST): string {
  if ('refused' in verdict) return `${words.refused} ${codeText(verdict.refused)}`;
  const said = verdict.has_valid_entitlement ? words.valid : words.notValid;
  return verdict.access_reason === undefined ? said : `${said} ${verdict.access_reason}`;
}

/** The sessions and titles that a verdict is made of. */
export function titlesOf(verdict: Exclude<Verdict, Refused>, times: Times): string[] {
  const sessions = verdict.sessions.map(({ session_id: id, area, source_code: from, status, ...one }) => {
    const span = times.span(one.starts_at, one.ends_at);
    const what = say(`session ${id} of ${from}`, `sosta ${id} di ${from}`);
    return `${what}, ${named(area.name, area.code)}, ${span}: ${SESSION_STATUS[status]}`;
  });
  const titles = verdict.subscriptions.map(
    (one) => `${KIND.subscription} ${one.subscription_number}: ${TITLE_REASON[one.reason_code]}`,
  );
  return [...sessions, ...titles];
}

const CODE_TEXT: Readonly<Record<string, Text>> = { ...ERROR_TEXT, ...ACCESS_REASON_TEXT };
/** A code of the service in words; a newer one as it is. */
const codeText = (code: string): string => CODE_TEXT[code]?.[language] ?? wordFor(LOOK, code);

/** What has happened since, in its order: what arrived, and what ended without another version in its place. */
function eventsOf(evidence: Evidence, city: City, times: Times): string[] {
  const { history, known_at: knownAt } = evidence;
  const events = history.flatMap((change): (readonly [at: string, text: string])[] => {
    const { recorded_at: from, replaced_at: until, known_then: isKnown } = change;
    const text = recordText(change.record, city, times);
    const isLater = until !== null && Date.parse(until) > Date.parse(knownAt);
    const hasNext = history.some((one) => isSame(one, change) && one.recorded_at === until);
    return [
      ...(isKnown ? [] : [[from, `${arrival(change, evidence, times)}: ${text}.`] as const]),
      // Of a list that was cut, the next version may be missing.
      ...(isWhole(evidence) && isLater && !hasNext
        ? [[until, `${ending(change, times.exact(until))}: ${text}.`] as const]
        : []),
    ];
  });
  return events.toSorted(([a], [b]) => Date.parse(a) - Date.parse(b)).map(([, text]) => text);
}

const isSame = (one: Change, other: Change): boolean =>
  one.kind === other.kind && one.source_code === other.source_code && one.key === other.key;

/** Why it no longer counts: the record moved to another plate or area, or a payment was reversed. */
function ending({ kind, key }: Change, at: string): string {
  const what = `${wordFor(KIND, kind)} ${key}`;
  return kind === 'payment'
    ? say(`On ${at} ${what} was reversed`, `Il ${at} è stato stornato: ${what}`)
    : say(
        `On ${at} ${what} was corrected, and no longer counts here`,
        `Il ${at} una correzione ha tolto da qui: ${what}`,
      );
}

/** What arrived, from whom, and how late. */
function arrival(change: Change, evidence: Evidence, times: Times): string {
  const { recorded_at: recorded, kind, key, late_by_seconds: late } = change;
  const [at, what] = [times.exact(recorded), `${wordFor(KIND, kind)} ${key}`];
  const sender = senderOf(change, evidence);
  const said =
    sender === null
      ? say(`On ${at} the office recorded ${what}`, `Il ${at} l’ufficio ha registrato: ${what}`)
      : say(`On ${at} ${sender} reported ${what}`, `Il ${at} ${sender} ha comunicato: ${what}`);
  const lateBy = durationText(late ?? 0);
  return late ? said + say(`, ${lateBy} after it had begun`, `, ${lateBy} dopo l’inizio`) : said;
}

/** The source of a session, or who collected a payment. Null: the office. */
function senderOf({ source_code: code, record }: Change, { sources }: Evidence): string | null {
  if ('payment_id' in record) {
    return record.terminal_code ?? say('the collector of payments', 'chi riscuote i pagamenti');
  }
  return code === null ? null : named(sources.find((source) => source.code === code)?.name ?? code, code);
}

type Source = Evidence['sources'][number];

function lateSentence({ name, code, status, last_successful_at: last }: Source, times: Times): string {
  const source = named(name, code);
  const was =
    status === 'error'
      ? say(`${source} was failing`, `${source} era in errore`)
      : say(`${source} was silent`, `${source} era in silenzio`);
  const heard =
    last === null
      ? say('it had never reported', 'non aveva mai trasmesso')
      : say(`last heard on ${times.exact(last)}`, `ultimo invio il ${times.exact(last)}`);
  return `${was}; ${heard}.`;
}

function lookSentence(check: Evidence['checks'][number], times: Times): string {
  const { at, operation, officer_reference: badge, request_id: request } = check;
  const officer =
    badge === null ? say('no reference given', 'senza sigla') : say(`reference ${badge}`, `sigla ${badge}`);
  const outcome = codeText(check.outcome).replace(/\.$/, '');
  return `${times.exact(at)}: ${wordFor(LOOK, operation)}, ${officer}: ${outcome} (${request}).`;
}

/** Such as `1 h 05 min`; below a minute in seconds. */
function durationText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds} s`;
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}
