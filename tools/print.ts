import { stripVTControlCharacters } from 'node:util';
import { withSteeringShown } from '../src/base/text/text.ts';

/** A text of several lines that cannot steer the terminal, even if parts of it come from elsewhere. */
export const shown = (text: string): string => text.split('\n').map(withSteeringShown).join('\n');

export function print(text: string): void {
  console.log(shown(text));
}

export function printError(text: string): void {
  console.error(shown(text));
}

/** Why a tool has ended, without the colours of a program that it ran: Wrangler colours its errors on no terminal too. */
export const printFailure = (error: unknown): void =>
  printError(stripVTControlCharacters(error instanceof Error ? error.message : String(error)));
