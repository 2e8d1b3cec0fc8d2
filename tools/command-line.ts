import { type ParseArgsConfig, parseArgs } from 'node:util';
import { print, printFailure } from './print.ts';

/** What a command says of itself: its call with its options, and what it does. */
type Usage = string;

/**
 * Reads a command's arguments. Asked for help, it prints the usage and ends the process, before the command has done
 * anything.
 *
 * @throws Error with the usage, for anything that the command does not take
 */
export function readCommandLine<const Config extends ParseArgsConfig>(
  usage: Usage,
  config: Config,
  args: readonly string[] = process.argv.slice(2),
): ReturnType<typeof parseArgs<Config & { args: string[] }>> {
  offerHelp(usage, args);
  try {
    return parseArgs({ ...config, args: [...args] });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
}

/** The same for a command that takes no arguments. It ends the process where there are any. */
export function takeNoArguments(usage: Usage): void {
  try {
    readCommandLine(usage, {});
  } catch (error) {
    printFailure(error);
    process.exit(2);
  }
}

/** For a command that passes its arguments on. */
export function offerHelp(usage: Usage, args: readonly string[] = process.argv.slice(2)): void {
  if (args.includes('--help') || args.includes('-h')) {
    print(usage);
    process.exit(0);
  }
}
