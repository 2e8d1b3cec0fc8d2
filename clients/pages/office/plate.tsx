import { useState } from 'hono/jsx/dom';
import type { Answer } from '../../client/operation-types.ts';
import { Button, Field, textOf } from '../components/forms.tsx';
import { Notice } from '../components/notice.tsx';
import { DataTable } from '../components/table.tsx';
import { EndSession } from './end-session.tsx';
import { ErasePlate } from './erase.tsx';
import { AreaChoice, type Asked, Objection } from './objection.tsx';
import { Ask, keepFile, Outcome, P } from './said.tsx';
import { gatherPlate, HELD_KINDS, type Held, named, useCall, useSession } from './session.ts';
import { HELD, SESSION_STATUS, say, TITLE_REASON, TITLE_STATUS } from './words.ts';

type Check = Answer<'checkPlate'>;

/** What is known of a plate now, and what an office does with one. */
export function PlateSection() {
  const { client, call, city } = useSession();
  const [asked, setAsked] = useState<Asked>({ plate: '', area: '' });
  const ask = (form: FormData) => {
    const [plate, area] = [textOf(form, 'plate'), textOf(form, 'area')];
    setAsked({ plate, area });
    return client.checkPlate({ plate, municipality_code: city.code, area_code: area || null }, call);
  };
  const answer = (check: Check) => (
    <>
      <Known check={check} />
      <Deeds key={`${asked.plate} ${asked.area}`} {...asked} />
    </>
  );
  return (
    <Ask submit={say('Look up', 'Cerca')} ask={ask} answer={answer}>
      <Field label={say('Plate', 'Targa')} name="plate" required maxlength={40} />
      <AreaChoice />
    </Ask>
  );
}

/** The verdict of this moment in a sentence. */
function verdictOf({ plate, area, municipality, ...check }: Check): string {
  const where = area ? named(area.name, area.code) : municipality.name;
  if (check.has_valid_entitlement) {
    return say(
      `${plate} has a valid entitlement now in ${where}.`,
      `${plate} ha ora un titolo valido in ${where}.`,
    );
  }
  return check.verification_complete
    ? say(
        `No valid entitlement of ${plate} is known now in ${where}.`,
        `Di ${plate} non risulta ora un titolo valido in ${where}.`,
      )
    : say(
        `${plate} has a permit for some areas only. Choose the area: without it, the question stays open.`,
        `${plate} ha un abbonamento per alcune aree soltanto. Scegli l’area: senza, la domanda resta aperta.`,
      );
}

/** The verdict of this moment, with the sessions and titles that it is made of. */
function Known({ check }: { readonly check: Check }) {
  const { times } = useSession();
  const { sessions, subscriptions, access_reason: gate } = check;
  const state = say('State', 'Stato');
  return (
    <>
      <Notice kind={check.has_valid_entitlement ? 'done' : 'known'}>
        <b>{verdictOf(check)}</b> <small>{times.exact(check.checked_at)}</small>
        {gate !== undefined && <P en={`The gate: ${gate}`} it={`Il varco: ${gate}`} />}
      </Notice>
      {sessions.length > 0 && (
        <DataTable
          title={say('Sessions within a day of now', 'Soste entro un giorno da ora')}
          rows={sessions}
          columns={[
            [say('Session', 'Sosta'), (one) => one.session_id],
            ['Area', (one) => named(one.area.name, one.area.code)],
            [say('Source', 'Sorgente'), (one) => one.source_code],
            [say('From → until', 'Da → a'), (one) => times.span(one.starts_at, one.ends_at)],
            [state, (one) => SESSION_STATUS[one.status]],
          ]}
        />
      )}
      {subscriptions.length > 0 && (
        <DataTable
          title={say('Permits', 'Abbonamenti')}
          rows={subscriptions}
          columns={[
            [say('Number', 'Numero'), (one) => one.subscription_number],
            [state, (one) => TITLE_STATUS[one.status]],
            [say('Why', 'Motivo'), (one) => TITLE_REASON[one.reason_code]],
          ]}
        />
      )}
    </>
  );
}

/** What an office does with a plate that it has looked up, one at a time. */
function Deeds(asked: Asked) {
  const { mayChange } = useSession();
  const [deed, setDeed] = useState('');
  const open = (one: string, label: string) => (
    <Button label={label} isOpen={deed === one} onClick={() => setDeed(one)} />
  );
  return (
    <>
      <div class="controls">
        {open('objection', say('Objection', 'Ricorso'))}
        {open('export', say('Export', 'Esporta'))}
        {mayChange && open('end', say('End a session', 'Termina una sosta'))}
        {mayChange && open('erase', say('Erase', 'Cancella'))}
      </div>
      {deed === 'objection' && <Objection {...asked} />}
      {deed === 'export' && <ExportPlate plate={asked.plate} />}
      {deed === 'end' && <EndSession plate={asked.plate} />}
      {deed === 'erase' && <ErasePlate plate={asked.plate} />}
    </>
  );
}

/** Everything that is held on a plate, as a file: what a person may ask for. */
function ExportPlate({ plate }: { readonly plate: string }) {
  const session = useSession();
  const { called, make } = useCall<Held>();
  const start = async (): Promise<void> => {
    const held = await make(() => gatherPlate(session, plate));
    if (held === null) return;
    const document = { plate, exported_at: new Date().toISOString(), ...held };
    keepFile(`${plate}.json`, 'application/json', `${JSON.stringify(document, null, 2)}\n`);
  };
  return (
    <>
      <P
        en="Everything that is held on this plate, in one file: what its owner may ask for."
        it="Tutto ciò che è conservato su questa targa, in un file: quanto può chiedere l’interessato."
      />
      <Button isMain label={say('Make the file', 'Crea il file')} onClick={start} />
      <Outcome called={called}>
        {(held) => (
          <Notice kind="done">
            {say('The file has been made.', 'Il file è stato creato.')}{' '}
            {HELD_KINDS.map((kind) => `${HELD[kind]}: ${held[kind].length}`).join(', ')}
          </Notice>
        )}
      </Outcome>
    </>
  );
}
