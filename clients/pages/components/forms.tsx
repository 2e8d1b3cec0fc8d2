import { useId } from 'hono/jsx/dom';

/** A field's text, without the blanks around it. */
export const textOf = (form: FormData, name: string): string => String(form.get(name) ?? '').trim();

type Options = readonly (readonly [value: string, text: string])[];

/** A field of a form: its name, its label, and how it is written: as text of a kind, as one of a list, or as ticks of a list. */
export type FieldSpec = readonly [
  ...[name: string, label: string],
  as?: 'text' | 'date' | 'time' | 'password' | 'file' | 'whole' | 'decimal' | 'flag' | Options | Ticks,
  more?: More,
];

interface Ticks {
  readonly ticks: Options;
}

interface More {
  /** The first value, of a flag `on`; what is typed or chosen afterwards stays. */
  readonly value?: string | undefined;
  /** The first ticks. */
  readonly ticked?: readonly string[];
  readonly note?: string | undefined;
  readonly required?: boolean;
  readonly maxlength?: number;
  readonly pattern?: string;
  readonly accept?: string;
  readonly onChosen?: (value: string) => void;
}

const STEPPED: Readonly<Record<string, { readonly type: string; readonly step: string }>> = {
  whole: { type: 'number', step: '1' },
  decimal: { type: 'number', step: 'any' },
  // To the second.
  time: { type: 'time', step: '1' },
};

/** A field with its label. */
export function Field({ spec: [name, label, as = 'text', more = {}] }: { readonly spec: FieldSpec }) {
  const id = useId();
  const { value = '', ticked = [], note, onChosen, ...attributes } = more;
  if (as === 'flag') return <Tick {...{ label, name, value: 'on', checked: value === 'on' }} />;
  if (typeof as === 'object' && 'ticks' in as) {
    return (
      <fieldset>
        <legend>{label}</legend>
        {as.ticks.map(([one, text]) => (
          <Tick key={one} {...{ label: text, name, value: one, checked: ticked.includes(one) }} />
        ))}
      </fieldset>
    );
  }
  const type = STEPPED[String(as)] ?? { type: String(as) };
  const chosen = ({ currentTarget: list }: Event): void => {
    if (list instanceof HTMLSelectElement) onChosen?.(list.value);
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {typeof as === 'object' ? (
        <select {...{ id, name }} onChange={chosen}>
          {as.map(([one, text]) => (
            <option key={one} value={one} selected={one === value}>
              {text}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...{ id, name, value, autocomplete: 'off', spellcheck: false, ...type, ...attributes }}
          {...(note !== undefined && { 'aria-describedby': `${id}-note` })}
        />
      )}
      {note !== undefined && (
        <small id={`${id}-note`} class="note">
          {note}
        </small>
      )}
    </div>
  );
}

interface TickProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly checked: boolean;
}

const Tick = ({ label, ...attributes }: TickProps) => (
  <label class="tick">
    <input type="checkbox" {...attributes} /> {label}
  </label>
);

interface ButtonProps {
  readonly label: string;
  readonly onClick: () => unknown;
  readonly isMain?: boolean;
  /** Of a button that opens something. */
  readonly isOpen?: boolean | undefined;
  readonly isOff?: boolean;
}

/** A button; one that is off can still be reached, and says so. */
export const Button = ({ label, onClick, isMain = false, isOpen, isOff = false }: ButtonProps) => (
  <button
    type="button"
    class={isMain ? 'main' : undefined}
    aria-expanded={isOpen === undefined ? undefined : String(isOpen)}
    aria-disabled={isOff ? 'true' : undefined}
    onClick={() => isOff || onClick()}
  >
    {label}
  </button>
);
