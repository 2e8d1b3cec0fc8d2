import { Command, type CommandUnknownOpts, InvalidArgumentError, Option } from '@commander-js/extra-typings';

/** A command, whatever its arguments and options. */
export type AnyCommand = CommandUnknownOpts;

/** A command with its words, and examples that can be pasted. */
export function commandOf(name: string, description: string, examples: readonly string[] = []): Command {
  const [summary = description] = description.split(/(?<=\.) /);
  const command = new Command(name).summary(summary).description(description);
  if (examples.length > 0) {
    command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`);
  }
  return command;
}

/** Several commands under one name. */
export function groupOf(name: string, description: string, commands: readonly AnyCommand[]): AnyCommand {
  const group = new Command(name).description(description).helpCommand(false);
  for (const command of commands) group.addCommand(command);
  return group;
}

export const municipalityOption = () =>
  new Option(
    '-m, --municipality <code>',
    'code of the municipality (default: the profile’s, else the credential’s only one)',
  );

export const yesOption = () => new Option('-y, --yes', 'do not ask').default(false);

export const PLATE = 'plate, as it is written';
export const AREA = 'code of the street or facility';
export const TENANT = 'code of the tenant (an office: its own)';

/** For options that may be given several times, or once with commas between. */
export const listed = (value: string, before: readonly string[] | undefined): string[] => [
  ...(before ?? []),
  ...value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
];

export function wholeNumber(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('Write a whole number.');
  return Number(value);
}

const SECONDS_OF: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** A time such as `90s`, `30m`, `12h` or `7d`, in seconds. */
export function seconds(value: string): number {
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(value) ?? [];
  const each = SECONDS_OF[unit];
  if (count === undefined || each === undefined) throw new InvalidArgumentError('Write 90s, 30m, 12h or 7d.');
  return Number(count) * each;
}

/** The properties that are not undefined: an option that was not given is an absent field. */
export const given = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    // Exactly the entries that are left.
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

export { InvalidArgumentError, Option };
