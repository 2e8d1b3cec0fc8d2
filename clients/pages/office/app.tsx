import { useEffect, useState } from 'hono/jsx/dom';
import { createClient } from '../../client/client.ts';
import type { Failure } from '../../client/result.ts';
import { Button, Field, type FieldSpec, textOf } from '../components/forms.tsx';
import { language, say } from '../language.ts';
import { CitySection } from './city.tsx';
import { CredentialsSection } from './credentials.tsx';
import { ImportSection } from './import.tsx';
import { PaymentsSection } from './payments.tsx';
import { PlateSection } from './plate.tsx';
import {
  askWith,
  CallFailed,
  type Credential,
  named,
  type ReadCity,
  readCity,
  type Session,
  SessionContext,
} from './session.ts';
import { FailureNotice, Form, P, useShown } from './shown.tsx';
import { Times } from './times.ts';
import { TitlesSection } from './titles.tsx';

/** A token, and the reference of who works with it: every call carries both. */
interface Entry {
  readonly token: string;
  readonly officer: string;
}

/** The tab forgets them when it is closed; nothing else ever has them. */
const KEPT = 'office-entry';
const keptEntry = (): Entry | null => JSON.parse(sessionStorage.getItem(KEPT) ?? 'null');

type Signed = Pick<Session, 'client' | 'call' | 'ask' | 'credential'>;

/** The whole page: the way in, then the sections for one city at a time. */
export function App() {
  const [signed, setSigned] = useState<Signed | null>(null);
  const shown = useShown();
  const leave = (because?: Failure): void => {
    sessionStorage.removeItem(KEPT);
    setSigned(null);
    void shown.show(() => because && <FailureNotice failure={because} />);
  };
  const enter = async (entry: Entry): Promise<null> => {
    try {
      setSigned(await signedIn(entry, leave));
      sessionStorage.setItem(KEPT, JSON.stringify(entry));
      return null;
    } catch (error) {
      // Without an answer the tab keeps what it has: loaded again, it tries again.
      if (error instanceof CallFailed && error.failure.failure === 'misconfigured') {
        sessionStorage.removeItem(KEPT);
      }
      throw error;
    }
  };
  useEffect(() => {
    const kept = keptEntry();
    if (kept !== null) void shown.show(() => enter(kept));
  }, []);
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
            fields={entryFields()}
            onSent={(form) => enter({ token: textOf(form, 'token'), officer: textOf(form, 'officer') })}
            shown={shown}
          />
        </div>
      )}
    </>
  );
}

function entryFields(): FieldSpec[] {
  const forgotten = say(
    'It begins with pev_at_. It stays in this tab, and is forgotten when you close it.',
    'Comincia con pev_at_. Resta in questa scheda, e sparisce quando la chiudi.',
  );
  const logged = say(
    'Your badge number or initials. It is logged with everything that you look at or change.',
    'Matricola o iniziali. Resta nel registro con tutto ciò che guardi o modifichi.',
  );
  const reference = { required: true, maxlength: 64, pattern: '[!-~]+', note: logged };
  return [
    ['token', say('Access token', 'Token di accesso'), 'password', { required: true, note: forgotten }],
    ['officer', say('Your reference', 'La tua sigla'), 'text', reference],
  ];
}

async function signedIn({ token, officer }: Entry, leave: (because: Failure) => void): Promise<Signed> {
  const refused = (code: Failure['code']) => new CallFailed({ ok: false, failure: 'misconfigured', code });
  // Nothing else can be in a header.
  if (!/^[!-~]+$/.test(token)) throw refused('TOKEN_INVALID');
  const client = createClient({ baseUrl: location.origin, token, language });
  const call = { officerReference: officer };
  const ask = askWith(client, call, leave);
  const { credential } = await ask('getOwnCredential', {});
  if (!credential.scopes.some((scope) => scope === 'office' || scope === 'office_read')) {
    throw refused('SCOPE_NOT_ALLOWED');
  }
  return { client, call, ask, credential };
}

/** The clerk’s desk: the city that is chosen, and its sections. */
function Desk({ signed, onLeave }: { readonly signed: Signed; readonly onLeave: () => void }) {
  const { ask, call, credential } = signed;
  /** The cities’ names by their codes; of a city that was not read yet the code. */
  const [cities, setCities] = useState(new Map(credential.municipalities.map((one) => [one, one])));
  const [code, setCode] = useState(credential.municipalities[0] ?? '');
  const { said, show } = useShown();
  const name = (one: string, city: string): void => setCities((before) => new Map(before).set(one, city));
  useEffect(() => {
    const load = async () => {
      const read = await readCity(ask, code);
      name(code, read.city.name);
      return <InCity key={code} {...{ signed, read }} />;
    };
    if (code !== '') void show(load);
  }, [code]);
  const open = (form: FormData): null => {
    const typed = textOf(form, 'code');
    name(typed, typed);
    setCode(typed);
    return null;
  };
  const known = [...cities].map(([one, city]) => [one, named(city, one)] as const);
  const another = ['', say('Another…', 'Un altro…')] as const;
  const choice = { value: code, onChosen: setCode };
  const other = say('Code of the municipality', 'Codice del comune');
  return (
    <>
      <div class="desk">
        <Field spec={['municipality', say('Municipality', 'Comune'), [...known, another], choice]} />
        <p class="note">
          {say('Your reference', 'La tua sigla')}: <b>{call.officerReference}</b>
          {!mayChange(credential) && ` · ${say('reads only', 'sola lettura')}`}
        </p>
        <Button label={say('Sign out', 'Esci')} onClick={onLeave} />
      </div>
      {code === '' ? (
        <Form
          submit={say('Open', 'Apri')}
          fields={[['code', other, 'text', { required: true, maxlength: 64 }]]}
          onSent={open}
        />
      ) : (
        said
      )}
    </>
  );
}

const mayChange = ({ scopes }: Credential): boolean => scopes.includes('office');

/** The sections for a city, until another one is chosen. */
function InCity({ signed, read: first }: { readonly signed: Signed; readonly read: ReadCity }) {
  const [read, setCity] = useState(first);
  const times = new Times(read.city.timezone, language === 'it' ? 'it-IT' : 'en-GB');
  const session = { ...signed, ...read, setCity, times, mayChange: mayChange(signed.credential) };
  return (
    <SessionContext.Provider value={session}>
      <Sections canChange={session.mayChange} />
    </SessionContext.Provider>
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

/** The sections of the office, one at a time. The address names it, and nothing else: plates stay out of it. */
function Sections({ canChange }: { readonly canChange: boolean }) {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const shown = SECTIONS.filter(([name]) => canChange || name !== 'import');
  const [open, title, Section] = shown.find(([name]) => hash === `#${name}`) ?? SECTIONS[0];
  return (
    <>
      <nav class="tabs" aria-label={say('Office', 'Ufficio')}>
        {shown.map(([name, label]) => (
          <a key={name} href={`#${name}`} aria-current={name === open ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <div key={open} class="section">
        <h2>{title}</h2>
        <Section />
      </div>
    </>
  );
}
