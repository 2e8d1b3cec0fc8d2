import type { CommanderError } from '@commander-js/extra-typings';
import { inItalianWords } from './placeholders.ts';
import { type Stop, wrongUsage } from './stop.ts';

/** Commander's messages in Italian. Quoted texts are the user's own. */
const ITALIAN: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/^error: unknown option '(.+?)'(?:\n\(Did you mean (.+?)\?\))?$/s, 'opzione sconosciuta: $1 (forse $2?)'],
  [/^error: unknown command '(.+?)'(?:\n\(Did you mean (.+?)\?\))?$/s, 'comando sconosciuto: $1 (forse $2?)'],
  [/^error: missing required argument '(.+)'$/, 'manca l’argomento: <$1>'],
  [/^error: required option '(.+)' not specified$/, 'manca l’opzione: $1'],
  [/^error: option '(.+)' argument missing$/, 'all’opzione manca il valore: $1'],
  [/^error: too many arguments(?: for '(.+?)')?\..*$/s, 'troppi argomenti'],
  [/^error: option '(.+?)' argument '(.*)' is invalid\. (.*)$/s, 'valore non valido per $1: $2. $3'],
  [
    /^error: command-argument value '(.*)' is invalid for argument '(.+?)'\. (.*)$/s,
    'valore non valido per $2: $1. $3',
  ],
];

/** Wrong usage in the words of the parser, in both languages, with the way to the help. */
export function describeUsageError({ message, code }: CommanderError): Stop {
  if (code === 'commander.help') {
    return wrongUsage({ en: 'Name a command.', it: 'Indicare un comando.' });
  }
  const en = message.replace(/^error: /, '').replace('\n', ' ');
  const found = ITALIAN.find(([pattern]) => pattern.test(message));
  const it =
    found === undefined
      ? en
      : message
          .replace(...found)
          .replace(' (forse ?)', '')
          .replace('Allowed choices are', 'Valori ammessi:');
  return wrongUsage(
    { en, it: inItalianWords(it) },
    {
      advice: {
        en: '`--help` shows how it is used.',
        it: '`--help` mostra come si usa.',
      },
    },
  );
}
