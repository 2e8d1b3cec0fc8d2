import type { Answer } from '../../client/operation-types.ts';
import { textOf } from '../components/forms.tsx';
import { Facts } from '../components/table.tsx';
import { say } from '../language.ts';
import { type Done, TypeAgain, WorkList } from './lists.tsx';
import { allPages, choicesOf, useSession } from './session.ts';
import { Form, Notice, P } from './shown.tsx';
import { END } from './times.ts';
import { CREDENTIAL_STATUS, SCOPE, wordFor } from './words.ts';

type Listed = Answer<'listCredentials'>['credentials'][number];
type Issued = Answer<'issueCredential'>;

const SCOPES = Object.keys(SCOPE) as (keyof typeof SCOPE)[];
const NAME = say('Name', 'Nome');
const MAY = say('May', 'Può');

/** The tenant's credentials: listed, issued, rotated, revoked. */
export function CredentialsSection() {
  const { ask, credential, city, times } = useSession();
  const load = async (): Promise<Listed[]> => {
    const pages = await allPages(ask, 'listCredentials', {});
    return pages.flatMap(({ credentials }) => credentials);
  };
  const issue = (done: Done) => {
    const send = async (form: FormData): Promise<null> => {
      const ticked = form.getAll('scopes');
      const issued = await ask('issueCredential', {
        ...{ tenant: credential.tenant, name: textOf(form, 'name'), municipalities: [city.code] },
        scopes: SCOPES.filter((scope) => ticked.includes(scope)),
        expires_at: times.dateOf(textOf(form, 'expires'), END),
        source_code: textOf(form, 'source') || null,
      });
      done(<Secrets issued={issued} />);
      return null;
    };
    const anySource = ['', say('any source', 'qualsiasi sorgente')] as const;
    return (
      <div class="card">
        <Form
          submit={say('Issue', 'Rilascia')}
          fields={[
            ['name', NAME, 'text', { required: true, maxlength: 200 }],
            ['expires', say('Expires (empty: never)', 'Scade (vuoto: mai)'), 'date'],
            ['source', say('Imports of', 'Importa da'), [anySource, ...choicesOf(city.sources)]],
            ['scopes', MAY, { ticks: Object.entries(SCOPE) }],
          ]}
          onSent={send}
        />
      </div>
    );
  };
  const change = ({ credential_id, name }: Listed, done: Done) => {
    const rotate = async (form: FormData): Promise<null> => {
      const overlap_seconds = Number(textOf(form, 'overlap'));
      done(<Secrets issued={await ask('rotateCredential', { credential_id, overlap_seconds })} />);
      return null;
    };
    const revoke = async (): Promise<null> => {
      await ask('revokeCredential', { credential_id });
      done(say(`“${name}” is revoked.`, `“${name}” è revocata.`));
      return null;
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
        <Form
          submit={say('New secrets', 'Nuovi segreti')}
          fields={[['overlap', say('The old ones pass for', 'I vecchi valgono ancora'), overlaps]]}
          onSent={rotate}
        />
        <P
          en="Revoking ends it at once and for good: its devices stop."
          it="La revoca vale subito e per sempre: i suoi dispositivi si fermano."
        />
        <TypeAgain
          {...{ text: credential_id, onTyped: revoke }}
          label={say('Type the id', 'Scrivi l’id')}
          submit={say('Revoke for good', 'Revoca per sempre')}
        />
      </div>
    );
  };
  return (
    <WorkList
      title={say('All credentials', 'Tutte le credenziali')}
      rows={load}
      columns={[
        [NAME, (one: Listed) => one.name],
        [MAY, (one) => one.scopes.map((scope) => wordFor(SCOPE, scope)).join(', ')],
        [say('Municipalities', 'Comuni'), (one) => one.municipalities.join(', ')],
        [say('State', 'Stato'), (one) => CREDENTIAL_STATUS[one.status]],
        [say('Expires', 'Scade'), (one) => times.shown(one.expires_at)],
        ['Id', (one) => <code>{one.credential_id}</code>],
      ]}
      add={[say('New credential', 'Nuova credenziale'), issue]}
      change={[say('Change', 'Modifica'), change]}
      canChange={mayTouch}
    />
  );
}

/** An office's credential is the administrator's to change, and a revoked one is over. */
const mayTouch = ({ scopes, status }: Listed): boolean =>
  status !== 'revoked' && !scopes.some((scope) => scope === 'office' || scope === 'office_read');

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
          [say('Access token', 'Token di accesso'), <code class="secret">{issued.access_token}</code>],
          [say('API key', 'Chiave API'), <code class="secret">{issued.api_key}</code>],
          [say('The old ones pass until', 'I vecchi valgono fino a'), times.shown(ends)],
        ]}
      />
    </div>
  );
}
