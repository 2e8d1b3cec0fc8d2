import type { Child } from 'hono/jsx';
import { useEffect, useState } from 'hono/jsx/dom';
import type { Answer } from '../../client/operation-types.ts';
import type { Result } from '../../client/result.ts';
import { Button, Choice, Field, Tick, textOf } from '../components/forms.tsx';
import { Notice } from '../components/notice.tsx';
import { type Column, DataTable, Facts } from '../components/table.tsx';
import { Ask, Outcome, P, TypeAgain, wrongTime } from './said.tsx';
import { choicesOf, type Session, useCall, useSession } from './session.ts';
import { END } from './times.ts';
import { CREDENTIAL_STATUS, SCOPE, say, wordFor } from './words.ts';

type Listed = Answer<'listCredentials'>['credentials'][number];
type Issued = Answer<'issueCredential'>;

/** What an office may give: the scopes of offices are the administrator's. */
const SCOPES = [
  ...(['plate_check', 'patrol', 'report', 'evidence', 'import', 'entitlement_list'] as const),
  ...(['subscription_options', 'subscription_payments'] as const),
];

async function listAll({ client, call }: Session): Promise<Result<Listed[]>> {
  const credentials: Listed[] = [];
  let next: { after?: string } = {};
  for (;;) {
    const page: Result<Answer<'listCredentials'>> = await client.listCredentials(next, call);
    if (!page.ok) return page;
    credentials.push(...page.answer.credentials);
    if (page.answer.next_after === null) return { ...page, answer: credentials };
    next = { after: page.answer.next_after };
  }
}

/** The tenant's credentials: listed, issued, rotated, revoked. */
export function CredentialsSection() {
  const session = useSession();
  const { called, make } = useCall<Listed[]>();
  const [chosen, setChosen] = useState<Listed | 'new' | null>(null);
  const [done, setDone] = useState<Child>(null);
  useEffect(() => void make(() => listAll(session)), []);
  const choose = (credential: Listed | 'new'): void => {
    setDone(null);
    setChosen(credential);
  };
  const end = (said: Child): void => {
    setChosen(null);
    setDone(said);
    void make(() => listAll(session));
  };
  const onIssued = (issued: Issued): void => end(<Secrets issued={issued} />);
  return (
    <>
      {session.mayChange && (
        <Button label={say('New credential', 'Nuova credenziale')} onClick={() => choose('new')} />
      )}
      {done}
      {chosen === 'new' && <Issue onIssued={onIssued} />}
      {chosen !== null && chosen !== 'new' && (
        <Change
          {...{ key: chosen.credential_id, credential: chosen, onRotated: onIssued }}
          onRevoked={() => end(<Revoked name={chosen.name} />)}
        />
      )}
      <Outcome called={called}>
        {(credentials) => <List credentials={credentials} onChosen={choose} />}
      </Outcome>
    </>
  );
}

const Revoked = ({ name }: { readonly name: string }) => (
  <Notice kind="done">{say(`“${name}” is revoked.`, `“${name}” è revocata.`)}</Notice>
);

function List({ credentials, onChosen }: { credentials: Listed[]; onChosen: (one: Listed) => void }) {
  const { times, mayChange } = useSession();
  const change = say('Change', 'Modifica');
  const columns: Column<Listed>[] = [
    [say('Name', 'Nome'), (one) => one.name],
    [say('May', 'Può'), (one) => one.scopes.map((scope) => wordFor(SCOPE, scope)).join(', ')],
    [say('Municipalities', 'Comuni'), (one) => one.municipalities.join(', ')],
    [say('State', 'Stato'), (one) => CREDENTIAL_STATUS[one.status]],
    [say('Expires', 'Scade'), (one) => times.shown(one.expires_at)],
    ['Id', (one) => <code>{one.credential_id}</code>],
  ];
  if (mayChange) {
    columns.push([change, (one) => mayTouch(one) && <Button label={change} onClick={() => onChosen(one)} />]);
  }
  return (
    <DataTable title={say('All credentials', 'Tutte le credenziali')} rows={credentials} columns={columns} />
  );
}

/** An office's credential is the administrator's to change, and a revoked one is over. */
const mayTouch = ({ scopes, status }: Listed): boolean =>
  status !== 'revoked' && !scopes.some((scope) => scope === 'office' || scope === 'office_read');

function Issue({ onIssued }: { readonly onIssued: (issued: Issued) => void }) {
  const { client, call, credential, city, times } = useSession();
  const ask = (form: FormData) => {
    const date = textOf(form, 'expires');
    const expires_at = times.instantOf(date, '', END);
    const scopes = SCOPES.filter((scope) => form.getAll('scopes').includes(scope));
    if (date !== '' && expires_at === null) return wrongTime();
    const input = {
      ...{ tenant: credential.tenant, name: textOf(form, 'name'), scopes, municipalities: [city.code] },
      ...{ expires_at, source_code: textOf(form, 'source') || null },
    };
    const noScope = say('Tick at least one thing that it may do.', 'Scegli almeno una cosa che può fare.');
    return scopes.length === 0 ? noScope : client.issueCredential(input, call);
  };
  const anySource = ['', say('any source', 'qualsiasi sorgente')] as const;
  return (
    <div class="card">
      <Ask submit={say('Issue', 'Rilascia')} ask={ask} onAnswered={onIssued}>
        <Field label={say('Name', 'Nome')} name="name" required maxlength={200} />
        <Field label={say('Expires (empty: never)', 'Scade (vuoto: mai)')} name="expires" type="date" />
        <Choice
          label={say('Imports of', 'Importa da')}
          {...{ name: 'source', options: [anySource, ...choicesOf(city.sources)] }}
        />
        <fieldset>
          <legend>{say('May', 'Può')}</legend>
          {SCOPES.map((scope) => (
            <Tick key={scope} label={SCOPE[scope]} name="scopes" value={scope} />
          ))}
        </fieldset>
      </Ask>
    </div>
  );
}

/** A new pair of secrets: the only time that it is shown. */
function Secrets({ issued }: { readonly issued: Issued }) {
  const { times } = useSession();
  const { name, overlap_ends_at: ends } = issued;
  return (
    <div class="card">
      <Notice kind="done">
        {say(
          `“${name}”: copy its secrets now. They are shown this once only.`,
          `“${name}”: copia ora i suoi segreti. Si vedono solo questa volta.`,
        )}
      </Notice>
      <Facts
        facts={[
          ['Id', issued.credential_id],
          [say('Access token', 'Token di accesso'), <Secret key="token" secret={issued.access_token} />],
          [say('API key', 'Chiave API'), <Secret key="key" secret={issued.api_key} />],
          [say('The old ones pass until', 'I vecchi valgono fino a'), times.shown(ends)],
        ]}
      />
    </div>
  );
}

function Secret({ secret }: { readonly secret: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = (): Promise<void> => navigator.clipboard.writeText(secret).then(() => setCopied(true));
  return (
    <>
      <code class="secret">{secret}</code>{' '}
      <Button label={isCopied ? say('Copied', 'Copiato') : say('Copy', 'Copia')} onClick={copy} />
    </>
  );
}

interface ChangeProps {
  readonly credential: Listed;
  readonly onRotated: (issued: Issued) => void;
  readonly onRevoked: () => void;
}

/** A credential is given new secrets, or revoked once its id was typed. */
function Change({ credential: { credential_id, name }, onRotated, onRevoked }: ChangeProps) {
  const { client, call } = useSession();
  const { called, make } = useCall<Answer<'revokeCredential'>>();
  const rotate = (form: FormData) =>
    client.rotateCredential({ credential_id, overlap_seconds: Number(textOf(form, 'overlap')) }, call);
  const revoke = async (): Promise<void> => {
    if ((await make(() => client.revokeCredential({ credential_id }, call))) !== null) onRevoked();
  };
  const overlaps = [
    ['86400', say('a day', 'un giorno')],
    ['604800', say('a week', 'una settimana')],
    ['0', say('no time: they were leaked', 'per nulla: sono trapelati')],
  ] as const;
  return (
    <div class="card">
      <h3>
        {name} <code>{credential_id}</code>
      </h3>
      <Ask submit={say('New secrets', 'Nuovi segreti')} ask={rotate} onAnswered={onRotated}>
        <Choice
          label={say('The old ones pass for', 'I vecchi valgono ancora')}
          name="overlap"
          options={overlaps}
        />
      </Ask>
      <P
        en="Revoking ends it at once and for good: its devices stop."
        it="La revoca vale subito e per sempre: i suoi dispositivi si fermano."
      />
      <TypeAgain
        {...{ text: credential_id, onTyped: revoke }}
        label={say('Type the id', 'Scrivi l’id')}
        submit={say('Revoke for good', 'Revoca per sempre')}
      />
      <Outcome called={called} />
    </div>
  );
}
