import { useId } from 'hono/jsx/dom';

/** A field's text, without the blanks around it. */
export const textOf = (form: FormData, name: string): string => String(form.get(name) ?? '').trim();

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly type?: 'text' | 'date' | 'time' | 'number' | 'password' | 'file';
  /** The first value; what is typed afterwards stays. */
  readonly value?: string | undefined;
  readonly note?: string;
  readonly required?: boolean;
  readonly maxlength?: number;
  readonly step?: string;
  readonly pattern?: string;
  readonly accept?: string;
}

/** A labelled input. */
export function Field({ label, type = 'text', value = '', note, ...attributes }: FieldProps) {
  const id = useId();
  const described = note === undefined ? {} : { 'aria-describedby': `${id}-note` };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type={type}
        value={value}
        autocomplete="off"
        spellcheck={false}
        {...attributes}
        {...described}
      />
      {note !== undefined && (
        <small id={`${id}-note`} class="note">
          {note}
        </small>
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string | undefined;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChosen?: (value: string) => void;
}

/** A labelled list to choose from. */
export function Choice({ label, name, value, options, onChosen }: ChoiceProps) {
  const id = useId();
  const chosen = ({ currentTarget: list }: Event): void => {
    if (list instanceof HTMLSelectElement) onChosen?.(list.value);
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name} onChange={chosen}>
        {options.map(([one, text]) => (
          <option key={one} value={one} selected={one === value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface TickProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string;
  readonly checked?: boolean;
}

/** A box to tick. */
export const Tick = ({ label, name, value = 'on', checked = false }: TickProps) => (
  <label class="tick">
    <input type="checkbox" name={name} value={value} checked={checked} /> {label}
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
