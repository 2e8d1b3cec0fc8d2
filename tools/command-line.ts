import { type ParseArgsConfig, parseArgs } from 'node:util';
import { print, printFailure } from './print.ts';

/**
 * Reads a command's arguments. For `--help` it prints the usage and ends the process, before the command
 * starts.
 *
 * @throws Error with the usage, for an unknown argument
 */
export function readCommandLine<const Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
  args: readonly string[] = process.argv.slice(2),
): ReturnType<typeof parseArgs<Config & { args: string[] }>> {
  if (args.includes('--help') || args.includes('-h')) {
    print(usage);
    process.exit(0);
  }
  try {
    return parseArgs({ ...config, args: [...args] });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
}

/** The same for a command that takes no arguments. It ends the process if there are any. */
export function takeNoArguments(usage: string): void {
  try {
    readCommandLine(usage, {});
  } catch (error) {
    printFailure(error);
    process.exit(2);
  }
}
