import type { Language, Text } from '../../src/base/text/text.ts';

/** The environment variables of the language, in POSIX order. */
const VARIABLES = ['LC_ALL', 'LC_MESSAGES', 'LANG'] as const;

/** Italian if the environment asks for it (`it`, `it_IT.UTF-8`), else English. */
export function languageOf(environment: NodeJS.ProcessEnv): Language {
  const named = VARIABLES.map((name) => environment[name]).find((value) => value);
  return /^it([_.@-]|$)/i.test(named ?? '') ? 'it' : 'en';
}

/** Picks a text in the user's language. */
export type Say = (text: Text) => string;

export const sayIn =
  (language: Language): Say =>
  (text) =>
    text[language];
