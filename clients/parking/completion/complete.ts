import type { Option } from '@commander-js/extra-typings';
import type { AnyCommand } from '../command.ts';

/** The completions of a word. */
export interface Completion {
  /** In the order in which they are shown. */
  readonly words: readonly string[];
  /** Whether the names of files are wanted. */
  readonly files: boolean;
}

const NOTHING: Completion = { words: [], files: false };
const FILE_OPTIONS = ['--out', '--rejected', '--mapping'];
const FILE_ARGUMENTS = ['file'];

/**
 * Completes the last of the words behind the command's name.
 *
 * @param words the last one is being typed, and may be empty
 * @param profiles names that `--profile` takes
 */
export function complete(
  program: AnyCommand,
  words: readonly string[],
  profiles: readonly string[],
): Completion {
  const typed = words.at(-1) ?? '';
  const { command, before, hasArgument } = descend(program, words.slice(0, -1));
  const option = before === null ? undefined : optionOf(command, before);
  if (option !== undefined && takesValue(option)) return valuesOf(option, typed, profiles);
  if (typed.startsWith('-')) return { words: starting(longNames(command), typed), files: false };
  const commands = hasArgument ? [] : command.commands.filter(isShown).map((child) => child.name());
  if (commands.length > 0) return { words: starting([...commands, 'help'], typed), files: false };
  const takesFiles = command.registeredArguments.some((argument) => FILE_ARGUMENTS.includes(argument.name()));
  if (command.name() === 'profiles') return { words: starting(profiles, typed), files: false };
  const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? []);
  return { words: starting(choices, typed), files: takesFiles };
}

interface Descended {
  readonly command: AnyCommand;
  /** The word before the one that is typed. */
  readonly before: string | null;
  readonly hasArgument: boolean;
}

/** Follows the words into the tree of commands, past options and their values. */
function descend(program: AnyCommand, words: readonly string[]): Descended {
  let command: AnyCommand = program;
  let before: string | null = null;
  let hasArgument = false;
  for (const word of words) {
    const option: Option | undefined = before === null ? undefined : optionOf(command, before);
    const isValue: boolean = option !== undefined && takesValue(option);
    const child = command.commands.find((one) => one.name() === word);
    if (!isValue && !word.startsWith('-')) {
      if (child !== undefined && !hasArgument) command = child;
      else hasArgument = true;
    }
    before = isValue ? null : word;
  }
  return { command, before, hasArgument };
}

function valuesOf(option: Option, typed: string, profiles: readonly string[]): Completion {
  if (option.long === '--profile') return { words: starting(profiles, typed), files: false };
  if (FILE_OPTIONS.includes(option.long ?? '')) return { words: [], files: true };
  return { ...NOTHING, words: starting(option.argChoices ?? [], typed) };
}

const optionOf = (command: AnyCommand, word: string): Option | undefined =>
  allOptions(command).find(({ short, long }) => word === short || word === long);

const takesValue = (option: Option): boolean => option.required || option.optional;

const allOptions = (command: AnyCommand | null): Option[] =>
  command === null ? [] : [...command.options, ...allOptions(command.parent)];

const longNames = (command: AnyCommand): string[] => [
  ...allOptions(command).flatMap(({ long, hidden }) => (long === undefined || hidden ? [] : [long])),
  '--help',
];

const isShown = (command: AnyCommand): boolean => !command.name().startsWith('__');

const starting = (words: readonly string[], typed: string): string[] =>
  words.filter((word) => word.startsWith(typed));
