import type { Answer } from '../../client/operation-types.ts';
import { type FieldSpec, textOf } from '../components/forms.tsx';
import { Facts } from '../components/table.tsx';
import { say } from '../language.ts';
import { Drawers, TypeAgain } from './lists.tsx';
import { allPages, type City, choicesOf, named, useSession } from './session.ts';
import { Form, keepFile, Loaded, Notice, P } from './shown.tsx';
import { Listed, Story, titlesOf } from './story.tsx';
import { START } from './times.ts';
import { COLUMN } from './words.ts';

type Check = Answer<'checkPlate'>;

/** What is known of a plate now, and what an office does with one. */
export function PlateSection() {
  const { ask, city, times } = useSession();
  const look = async (form: FormData) => {
    const [plate, area] = [textOf(form, 'plate'), textOf(form, 'area')];
    const where = { municipality_code: city.code, area_code: area || null };
    const check = await ask('checkPlate', { plate, ...where });
    const gate = check.access_reason;
    return (
      <>
        <Notice kind={check.has_valid_entitlement ? 'done' : 'known'}>
          <b>{verdictOf(check)}</b> <small>{times.exact(check.checked_at)}</small>
          {gate !== undefined && <P en={`The gate: ${gate}`} it={`Il varco: ${gate}`} />}
        </Notice>
        <Listed items={titlesOf(check, times)} />
        <Deeds {...{ plate, area }} />
      </>
    );
  };
  return (
    <Form
      submit={say('Look up', 'Cerca')}
      fields={[['plate', COLUMN.plate, 'text', { required: true, maxlength: 40 }], areaField(city)]}
      onSent={look}
    />
  );
}

/** The city's areas as a list to choose from, none of them too. */
const areaField = ({ areas }: City, value?: string): FieldSpec => {
  const anywhere = ['', say('Whole municipality', 'Tutto il comune')] as const;
  return ['area', 'Area', [anywhere, ...choicesOf(areas)], { value }];
};

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

/** A plate that was looked up, everywhere or in an area. */
interface Asked {
  readonly plate: string;
  readonly area: string;
}

/** What the tenant holds on a plate. */
const HELD = [
  ['sessions', say('Sessions', 'Soste')],
  ['subscriptions', say('Permits', 'Abbonamenti')],
  ['payments', say('Payments', 'Pagamenti')],
  ['history', say('Versions', 'Versioni')],
  ['calls', say('Calls', 'Chiamate')],
] as const;

/** What an office does with a plate that it has looked up. */
function Deeds({ plate, area }: Asked) {
  const { ask, mayChange } = useSession();
  /** Everything that is held on a plate, as a file: what a person may ask for. */
  const makeFile = async () => {
    const pages = await allPages(ask, 'exportPlate', { plate });
    const held = Object.fromEntries(
      HELD.map(([kind]) => [kind, pages.flatMap((page): object[] => page[kind])]),
    );
    const document = { plate, exported_at: new Date().toISOString(), ...held };
    keepFile(`${plate}.json`, 'application/json', `${JSON.stringify(document, null, 2)}\n`);
    return (
      <>
        <Notice kind="done">{say('The file has been made.', 'Il file è stato creato.')}</Notice>
        <Facts facts={HELD.map(([kind, word]) => [word, held[kind]?.length])} />
      </>
    );
  };
  const reading = [
    [say('Objection', 'Ricorso'), <Objection key="objection" {...{ plate, area }} />],
    [say('Export', 'Esporta'), <Loaded key="export" work={makeFile} />],
  ] as const;
  const erase = [say('Erase', 'Cancella'), <ErasePlate key="erase" plate={plate} />] as const;
  return <Drawers drawers={mayChange ? [...reading, erase] : reading} />;
}

/** Asks what was known of a plate at the instant of a notice, as the notice has it. */
function Objection({ plate, area }: Asked) {
  const { ask, city, times } = useSession();
  const draw = async (form: FormData) => {
    const at = times.instantOf(`${textOf(form, 'date')} ${textOf(form, 'time')}`, START);
    const where = { municipality_code: city.code, area_code: textOf(form, 'area') || null };
    return <Story evidence={await ask('searchEvidence', { plate, at, ...where })} />;
  };
  return (
    <>
      <P
        en={`Date and time as the notice has them, on the city’s clock (${city.timezone}).`}
        it={`Data e ora come nel verbale, con l’orologio del comune (${city.timezone}).`}
      />
      <Form
        submit={say('Draw up', 'Redigi')}
        fields={[
          areaField(city, area),
          ['date', say('Date of the notice', 'Data del verbale'), 'date', { required: true }],
          ['time', say('Time of the notice', 'Ora del verbale'), 'time', { required: true }],
        ]}
        onSent={draw}
      />
    </>
  );
}

/** Erases a plate, call after call, once it was typed again. */
function ErasePlate({ plate }: { readonly plate: string }) {
  const { ask } = useSession();
  const erase = async () => {
    const pages = await allPages(ask, 'erasePlate', { plate });
    return (
      <>
        <Notice kind="done">
          {say('The plate has been erased from:', 'La targa è stata cancellata da:')}
        </Notice>
        <Facts
          facts={HELD.map(([kind, word]) => [word, pages.reduce((sum, { erased }) => sum + erased[kind], 0)])}
        />
        <P
          en="What was being stored at this very moment goes if you erase again in two minutes."
          it="Ciò che era in arrivo proprio ora sparisce se cancelli di nuovo tra due minuti."
        />
      </>
    );
  };
  return (
    <>
      <P
        en="From all municipalities of your tenant, for good. Sessions and payments stay for their counts and amounts, without the plate. If it stops, erase again to complete it."
        it="Da tutti i comuni dell’ente, per sempre. Soste e pagamenti restano per i conteggi e gli importi, senza la targa. Se si interrompe, cancella di nuovo per completarla."
      />
      <Notice kind="known">
        {say(
          'If a session of this plate is still running, wait until it has ended: once erased, it no longer shows that the driver has paid.',
          'Se una sosta di questa targa è ancora in corso, attendi che finisca: una volta cancellata non dimostra più che è stato pagato.',
        )}
      </Notice>
      <TypeAgain
        {...{ text: plate, onTyped: erase }}
        label={say('Type the plate again', 'Scrivi di nuovo la targa')}
        submit={say('Erase for good', 'Cancella per sempre')}
      />
    </>
  );
}
