import type { Answer } from '../../client/operation-types.ts';
import { type FieldSpec, textOf } from '../components/forms.tsx';
import { say } from '../language.ts';
import { ErasePlate } from './erase.tsx';
import { Drawers } from './lists.tsx';
import { type City, choicesOf, gatherPlate, HELD_KINDS, named, useSession } from './session.ts';
import { Form, keepFile, Loaded, Notice, P } from './shown.tsx';
import { Listed, Story, titlesOf } from './story.tsx';
import { START } from './times.ts';
import { COLUMN, HELD } from './words.ts';

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

/** What an office does with a plate that it has looked up. */
function Deeds({ plate, area }: Asked) {
  const session = useSession();
  /** Everything that is held on a plate, as a file: what a person may ask for. */
  const makeFile = async () => {
    const held = await gatherPlate(session, plate);
    const document = { plate, exported_at: new Date().toISOString(), ...held };
    keepFile(`${plate}.json`, 'application/json', `${JSON.stringify(document, null, 2)}\n`);
    const counts = HELD_KINDS.map((kind) => `${HELD[kind]}: ${held[kind].length}`).join(', ');
    return (
      <Notice kind="done">
        {say(`The file has been made. ${counts}`, `Il file è stato creato. ${counts}`)}
      </Notice>
    );
  };
  const reading = [
    [say('Objection', 'Ricorso'), <Objection key="objection" {...{ plate, area }} />],
    [say('Export', 'Esporta'), <Loaded key="export" work={makeFile} />],
  ] as const;
  const erase = [say('Erase', 'Cancella'), <ErasePlate key="erase" plate={plate} />] as const;
  return <Drawers drawers={session.mayChange ? [...reading, erase] : reading} />;
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
