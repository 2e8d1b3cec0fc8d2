import type { Text } from '../../../src/base/text/text.ts';
import type { Office } from '../office.ts';
import { EXIT, Stop, type StopDetails } from '../stop.ts';

/** A text in the clerk's language: Italian if the environment asks for it (`it`, `it_IT.UTF-8`), else English. */
export function say({ environment: { LC_ALL, LC_MESSAGES, LANG } }: Office, text: Text): string {
  return /^it([_.@-]|$)/i.test(LC_ALL || LC_MESSAGES || LANG || '') ? text.it : text.en;
}

/** The command ends here, in the clerk's language. */
export const refusal = (office: Office, text: Text, details?: StopDetails): Stop =>
  new Stop(EXIT.refused, say(office, text), details);
