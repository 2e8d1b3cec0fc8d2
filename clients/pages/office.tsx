// The office: the clerk's page. It is drawn here alone; the service sends its frame.

import { render, useEffect, useState } from 'hono/jsx/dom';
import type { Failure } from '../client/result.ts';
import { Button, Field, textOf } from './components/forms.tsx';
import { say, TOKEN_NOTE } from './language.ts';
import { CitySection } from './office/city.tsx';
import { CredentialsSection } from './office/credentials.tsx';
import { ImportSection } from './office/import.tsx';
import { PaymentsSection } from './office/payments.tsx';
import { PlateSection } from './office/plate.tsx';
import {
  CallFailed,
  type Entry,
  named,
  type ReadCity,
  readCity,
  SessionContext,
  type Signed,
  signIn,
} from './office/session.ts';
import { FailureNotice, Form, Loaded, P, useShown } from './office/shown.tsx';
import { Times } from './office/times.ts';
import { TitlesSection } from './office/titles.tsx';

/** The tab forgets them when it is closed; nothing else ever has them. */
const KEPT = 'office-entry';
const REFERENCE = say('Your reference', 'La tua sigla');

/** The whole page: the way in, then the sections for one city at a time. */
function Office() {
  const [signed, setSigned] = useState<Signed | null>(null);
  const shown = useShown();
  const leave = (because?: Failure): void => {
    sessionStorage.removeItem(KEPT);
    setSigned(null);
    void shown.show(() => because && <FailureNotice failure={because} />);
  };
  const enter = async (entry: Entry): Promise<null> => {
    try {
      setSigned(await signIn(entry, leave));
    } catch (error) {
      // Not where the network fails: the next reload tries it again.
      if (error instanceof CallFailed && error.failure.failure === 'misconfigured') {
        sessionStorage.removeItem(KEPT);
      }
      throw error;
    }
    sessionStorage.setItem(KEPT, JSON.stringify(entry));
    return null;
  };
  useEffect(() => {
    const kept: Entry | null = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null');
    if (kept !== null) void shown.show(() => enter(kept));
  }, []);
  const logged = say(
    'Your badge number or initials. It is logged with everything that you look at or change.',
    'Matricola o iniziali. Resta nel registro con tutto ciò che guardi o modifichi.',
  );
  const token = { required: true, note: TOKEN_NOTE };
  const reference = { required: true, maxlength: 64, pattern: '[!-~]+', note: logged };
  return (
    <>
      <h1>{say('Office', 'Ufficio')}</h1>
      {signed !== null ? (
        <Desk signed={signed} onLeave={() => leave()} />
      ) : (
        <div class="card">
          <P
            en="For the parking office: you need a credential with the scope “office”."
            it="Per l’ufficio sosta: serve una credenziale con l’ambito “office”."
          />
          {shown.said}
          <Form
            submit={say('Open', 'Apri')}
            fields={[
              ['token', say('Access token', 'Token di accesso'), 'password', token],
              ['officer', REFERENCE, 'text', reference],
            ]}
            onSent={(form) => enter({ token: textOf(form, 'token'), officer: textOf(form, 'officer') })}
            shown={shown}
          />
        </div>
      )}
    </>
  );
}

/** The clerk’s desk: the city that is chosen, and its sections. */
function Desk({ signed, onLeave }: { readonly signed: Signed; readonly onLeave: () => void }) {
  const { ask, call, credential, mayChange } = signed;
  /** The cities’ names by their codes; of a city that was not read yet the code. */
  const [cities, setCities] = useState(new Map(credential.municipalities.map((one) => [one, one])));
  const [code, setCode] = useState(credential.municipalities[0] ?? '');
  const load = async () => {
    const read = await readCity(ask, code);
    setCities((before) => new Map(before).set(code, read.city.name));
    return <InCity {...{ signed, read }} />;
  };
  const choices = [...cities].map(([one, name]) => [one, named(name, one)] as const);
  const choice = { value: code, onChosen: setCode };
  return (
    <>
      <div class="desk">
        <Field spec={['municipality', say('Municipality', 'Comune'), choices, choice]} />
        <p class="note">
          {REFERENCE}: <b>{call.officerReference}</b>
          {!mayChange && ` · ${say('reads only', 'sola lettura')}`}
        </p>
        <Button label={say('Sign out', 'Esci')} onClick={onLeave} />
      </div>
      <Loaded key={code} work={load} />
    </>
  );
}

const SECTIONS = [
  ['plate', say('Plate', 'Targa'), PlateSection],
  ['titles', say('Permits', 'Abbonamenti'), TitlesSection],
  ['import', say('Import', 'Importazione'), ImportSection],
  ['payments', say('Payments', 'Pagamenti'), PaymentsSection],
  ['credentials', say('Credentials', 'Credenziali'), CredentialsSection],
  ['city', say('City', 'Comune'), CitySection],
] as const;

/** The sections for a city, one at a time. The address names it, and nothing else: plates stay out of it. */
function InCity({ signed, read: first }: { readonly signed: Signed; readonly read: ReadCity }) {
  const [read, setCity] = useState(first);
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const sections = SECTIONS.filter(([name]) => signed.mayChange || name !== 'import');
  const [open, title, Section] = sections.find(([name]) => hash === `#${name}`) ?? SECTIONS[0];
  return (
    <SessionContext.Provider value={{ ...signed, ...read, setCity, times: new Times(read.city.timezone) }}>
      <nav class="tabs" aria-label={say('Office', 'Ufficio')}>
        {sections.map(([name, label]) => (
          <a key={name} href={`#${name}`} aria-current={name === open ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <div key={open} class="section">
        <h2>{title}</h2>
        <Section />
      </div>
    </SessionContext.Provider>
  );
}

const place = document.getElementById('office');
if (place === null) throw new Error('the page has no #office');
render(<Office />, place);
