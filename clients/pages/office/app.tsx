import { useEffect, useState } from 'hono/jsx/dom';
import { type Client, createClient } from '../../client/client.ts';
import type { Failure } from '../../client/result.ts';
import { Button, Choice, Field, Form, textOf } from '../components/forms.tsx';
import { Busy, FailureNotice, P } from './said.tsx';
import { Sections } from './sections.tsx';
import { type Credential, named, type ReadCity, readCity, type Session, SessionContext } from './session.ts';
import { Times } from './times.ts';
import { language, say } from './words.ts';

/** A token, and the reference of who works with it: every call carries both. */
interface Entry {
  readonly token: string;
  readonly officer: string;
}

/** The tab forgets them when it is closed; nothing else ever has them. */
const KEPT = 'office-entry';
const keptEntry = (): Entry | null => JSON.parse(sessionStorage.getItem(KEPT) ?? 'null');

/** Who has signed in. */
interface Signed {
  readonly client: Client;
  readonly officer: string;
  readonly credential: Credential;
}

/** The whole page: the way in, then the sections for one city at a time. */
export function App() {
  const [signed, setSigned] = useState<Signed | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const leave = (because: Failure | null): void => {
    sessionStorage.removeItem(KEPT);
    setSigned(null);
    setFailure(because);
  };
  const enter = async (entry: Entry): Promise<void> => {
    const entered = await tryEntry(entry);
    if ('client' in entered) {
      sessionStorage.setItem(KEPT, JSON.stringify(entry));
      setFailure(null);
      setSigned(entered);
    } else if (entered.failure === 'misconfigured') leave(entered);
    // Without an answer the tab keeps what it has: loaded again, it tries again.
    else setFailure(entered);
  };
  useEffect(() => {
    const kept = keptEntry();
    if (kept !== null) void enter(kept);
  }, []);
  return (
    <>
      <h1>{say('Office', 'Ufficio')}</h1>
      {signed === null ? (
        <div class="card">
          <P
            en="For the parking office: you need a credential with the scope “office”."
            it="Per l’ufficio sosta: serve una credenziale con l’ambito “office”."
          />
          {failure !== null && <FailureNotice failure={failure} />}
          <SignIn onEntered={enter} />
        </div>
      ) : (
        <Desk signed={signed} leave={leave} />
      )}
    </>
  );
}

const SignIn = ({ onEntered }: { readonly onEntered: (entry: Entry) => Promise<void> }) => (
  <Form
    submit={say('Open', 'Apri')}
    onSent={(form) => onEntered({ token: textOf(form, 'token'), officer: textOf(form, 'officer') })}
  >
    <Field
      label={say('Access token', 'Token di accesso')}
      {...{ name: 'token', type: 'password', required: true }}
      note={say(
        'It begins with pev_at_. It stays in this tab, and is forgotten when you close it.',
        'Comincia con pev_at_. Resta in questa scheda, e sparisce quando la chiudi.',
      )}
    />
    <Field
      label={say('Your reference', 'La tua sigla')}
      {...{ name: 'officer', required: true, maxlength: 64, pattern: '[!-~]+' }}
      note={say(
        'Your badge number or initials. It is logged with everything that you look at or change.',
        'Matricola o iniziali. Resta nel registro con tutto ciò che guardi o modifichi.',
      )}
    />
  </Form>
);

async function tryEntry({ token, officer }: Entry): Promise<Signed | Failure> {
  const refused = (code: Failure['code']): Failure => ({ ok: false, failure: 'misconfigured', code });
  // Nothing else can be in a header.
  if (!/^[!-~]+$/.test(token)) return refused('TOKEN_INVALID');
  const client = createClient({ baseUrl: location.origin, token, language });
  const own = await client.getOwnCredential({}, { officerReference: officer });
  if (!own.ok) return own;
  const { credential } = own.answer;
  const isOffice = credential.scopes.some((scope) => scope === 'office' || scope === 'office_read');
  return isOffice ? { client, officer, credential } : refused('SCOPE_NOT_ALLOWED');
}

/** A city, or why there is none. */
type Read = ReadCity | Failure;

/** The clerk's desk: the city that is chosen, and its sections. */
function Desk({ signed, leave }: { signed: Signed; leave: (because: Failure | null) => void }) {
  const { client, officer, credential } = signed;
  const call = { officerReference: officer };
  const mayChange = credential.scopes.includes('office');
  const [codes, setCodes] = useState<readonly string[]>(credential.municipalities);
  const [code, setCode] = useState(codes[0] ?? '');
  const [cities, setCities] = useState<ReadonlyMap<string, Read>>(new Map());
  const put = (found: string, read: Read): void => setCities((known) => new Map(known).set(found, read));
  useEffect(() => {
    const load = async (): Promise<void> => {
      const read = await readCity(client, call, code);
      put(code, read.ok ? read.answer : read);
    };
    if (code !== '') void load();
  }, [code]);
  const read = cities.get(code);
  const session: Session | null =
    read && 'city' in read
      ? {
          ...{ client, call, credential, mayChange, ...read, leave },
          setCity: (changed) => put(changed.city.code, changed),
          times: new Times(read.city.timezone, language === 'it' ? 'it-IT' : 'en-GB'),
        }
      : null;
  const options = codes.map((one): [string, string] => {
    const known = cities.get(one);
    return [one, known && 'city' in known ? named(known.city.name, one) : one];
  });
  const another = say('Another…', 'Un altro…');
  return (
    <>
      <div class="desk">
        <Choice
          label={say('Municipality', 'Comune')}
          {...{ name: 'municipality', value: code, options: [...options, ['', another]], onChosen: setCode }}
        />
        <p class="note">
          {say('Your reference', 'La tua sigla')}: <b>{officer}</b>
          {!mayChange && ` · ${say('reads only', 'sola lettura')}`}
        </p>
        <Button label={say('Sign out', 'Esci')} onClick={() => leave(null)} />
      </div>
      {code === '' && (
        <Form
          submit={say('Open', 'Apri')}
          onSent={(form) => {
            const other = textOf(form, 'code');
            setCodes([...new Set([...codes, other])]);
            setCode(other);
          }}
        >
          <Field
            label={say('Code of the municipality', 'Codice del comune')}
            name="code"
            required
            maxlength={64}
          />
        </Form>
      )}
      {code !== '' && read === undefined && <Busy />}
      {read && 'failure' in read && <FailureNotice failure={read} />}
      {session !== null && (
        <SessionContext.Provider value={session}>
          <Sections key={code} />
        </SessionContext.Provider>
      )}
    </>
  );
}
