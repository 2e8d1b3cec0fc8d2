import { Command, type CommandUnknownOpts, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import type { Text } from '../../src/base/text/text.ts';
import type { Office } from './office.ts';

/** A command, whatever its arguments and options. */
export type AnyCommand = CommandUnknownOpts;

/** A command with its words, and examples that can be pasted. */
export function commandOf(
  office: Office,
  name: string,
  words: Text,
  examples: readonly string[] = [],
): Command {
  const description = office.say(words);
  const [summary = description] = description.split(/(?<=\.) /);
  const command = new Command(name)
    .summary(summary)
    .description(description)
    .helpOption('-h, --help', office.say(HELP));
  if (examples.length > 0) {
    const title = office.say({ en: 'Examples:', it: 'Esempi:' });
    command.addHelpText('after', `\n${title}\n${examples.map((example) => `  $ ${example}`).join('\n')}`);
  }
  return command;
}

export const HELP: Text = { en: 'show this help', it: 'mostra questo aiuto' };

export const MUNICIPALITY: Text = {
  en: 'code of the municipality (default: the profile’s, else the credential’s only one)',
  it: 'codice del comune (predefinito: quello del profilo, o l’unico della credenziale)',
};

export const PLATE: Text = { en: 'plate, as it is written', it: 'targa, come è scritta' };

export const TENANT: Text = {
  en: 'code of the tenant (an office: its own)',
  it: 'codice dell’ente (un ufficio: il proprio)',
};

export const AREA: Text = {
  en: 'code of the street or facility',
  it: 'codice della strada o del parcheggio',
};

/** For options that may be given several times, or once with commas between. */
export const listed = (value: string, before: readonly string[] | undefined): string[] => [
  ...(before ?? []),
  ...value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
];

/** For options that may be given several times and whose values may hold commas. */
export const gathered = (value: string, before: readonly string[] | undefined): string[] => [
  ...(before ?? []),
  value,
];

/** A whole number from `least` to `most`. */
export const wholeNumber =
  (least: number, most: number) =>
  (value: string): number => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < least || number > most) {
      throw new InvalidArgumentError(`${least} – ${most}`);
    }
    return number;
  };

const SECONDS_OF = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** A time such as `90s`, `30m`, `12h` or `7d`, in seconds. */
export function seconds(value: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(value) ?? [];
  if (count === undefined || (unit !== 's' && unit !== 'm' && unit !== 'h' && unit !== 'd')) {
    throw new InvalidArgumentError('90s, 30m, 12h, 7d');
  }
  return Number(count) * SECONDS_OF[unit];
}

export { Command, InvalidArgumentError, Option };
