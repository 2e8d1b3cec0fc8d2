import { useEffect, useState } from 'hono/jsx/dom';
import { createClient } from '../../client/client.ts';
import type { Failure } from '../../client/result.ts';
import { Button, Choice, Field, textOf } from '../components/forms.tsx';
import { Sections } from './sections.tsx';
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
import { language, say } from './words.ts';

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
            shown={shown}
            onSent={(form) => enter({ token: textOf(form, 'token'), officer: textOf(form, 'officer') })}
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
        </div>
      )}
    </>
  );
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
  const name = (city: string, known: string): void => setCities((before) => new Map(before).set(city, known));
  useEffect(() => {
    const load = async () => {
      const read = await readCity(ask, code);
      name(code, read.city.name);
      return <InCity key={code} {...{ signed, read }} />;
    };
    if (code !== '') void show(load);
  }, [code]);
  const open = (form: FormData): null => {
    const other = textOf(form, 'code');
    name(other, other);
    setCode(other);
    return null;
  };
  const another = ['', say('Another…', 'Un altro…')] as const;
  return (
    <>
      <div class="desk">
        <Choice
          label={say('Municipality', 'Comune')}
          {...{ name: 'municipality', value: code, onChosen: setCode }}
          options={[...[...cities].map(([one, known]) => [one, named(known, one)] as const), another]}
        />
        <p class="note">
          {say('Your reference', 'La tua sigla')}: <b>{call.officerReference}</b>
          {!mayChange(credential) && ` · ${say('reads only', 'sola lettura')}`}
        </p>
        <Button label={say('Sign out', 'Esci')} onClick={onLeave} />
      </div>
      {code === '' ? (
        <Form submit={say('Open', 'Apri')} onSent={open}>
          <Field
            label={say('Code of the municipality', 'Codice del comune')}
            {...{ name: 'code', required: true, maxlength: 64 }}
          />
        </Form>
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
      <Sections />
    </SessionContext.Provider>
  );
}
