import { Choice, Field, textOf } from '../components/forms.tsx';
import { Ask, P, wrongTime } from './said.tsx';
import { choicesOf, useSession } from './session.ts';
import { type Evidence, Story } from './story.tsx';
import { START } from './times.ts';
import { say } from './words.ts';

/** A plate that was looked up, everywhere or in an area. */
export interface Asked {
  readonly plate: string;
  readonly area: string;
}

/** The city's areas as a list to choose from, none of them too. */
export function AreaChoice({ value }: { readonly value?: string }) {
  const { city } = useSession();
  const anywhere = ['', say('Whole municipality', 'Tutto il comune')] as const;
  return <Choice label="Area" name="area" value={value} options={[anywhere, ...choicesOf(city.areas)]} />;
}

/** Asks what was known of a plate at the instant of a notice, as the notice has it. */
export function Objection({ plate, area }: Asked) {
  const { client, call, city, times } = useSession();
  const ask = (form: FormData) => {
    const at = times.instantOf(textOf(form, 'date'), textOf(form, 'time'), START);
    const where = { municipality_code: city.code, area_code: textOf(form, 'area') || null };
    return at === null ? wrongTime() : client.searchEvidence({ plate, at, ...where }, call);
  };
  return (
    <>
      <P
        en={`Date and time as the notice has them, on the city’s clock (${city.timezone}).`}
        it={`Data e ora come nel verbale, con l’orologio del comune (${city.timezone}).`}
      />
      <Ask
        submit={say('Draw up', 'Redigi')}
        ask={ask}
        answer={(evidence: Evidence) => <Story evidence={evidence} />}
      >
        <AreaChoice value={area} />
        <Field label={say('Date of the notice', 'Data del verbale')} name="date" type="date" required />
        <Field
          label={say('Time of the notice', 'Ora del verbale')}
          name="time"
          type="time"
          step="1"
          required
        />
      </Ask>
    </>
  );
}
