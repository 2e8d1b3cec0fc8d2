import type { Answer } from '../../client/index.ts';
import { type AnyCommand, AREA, commandOf, given, municipalityOption, PLATE } from '../command.ts';
import type { Office } from '../office.ts';
import { cellOf, flat } from '../print.ts';
import { askedInstant } from '../times.ts';
import { eventOption } from './check.ts';

type Evidence = Answer<'searchEvidence'>;

export const evidenceCommand = (office: Office): AnyCommand =>
  commandOf(
    'evidence',
    'For an objection: the facts of a plate when the officer asked, next to those of now, and its history.',
    [
      'parking evidence AB123CD --at "07/03/2026 17:44" --area S1',
      'parking evidence AB123CD --at 2026-03-07T17:44:00+01:00 --known-at 2026-03-08T09:00:00+01:00 --json',
    ],
  )
    .argument('<plate>', PLATE)
    .requiredOption('--at <time>', 'the instant in question')
    .option('--known-at <time>', 'by the facts of that instant (default: --at)')
    .addOption(municipalityOption())
    .option('-a, --area <code>', AREA)
    .addOption(eventOption())
    .action(async (plate, { at, knownAt, municipality, area, event }) => {
      const input = {
        ...{ plate, at: await askedInstant(office, at, municipality) },
        ...(knownAt !== undefined && { known_at: await askedInstant(office, knownAt, municipality) }),
        ...office.municipality(municipality),
        ...given({ area_code: area, event }),
      };
      const answer = await office.answer(office.client.searchEvidence(input, office.call));
      if (office.json) office.terminal.json(answer);
      else tellEvidence(office, answer);
    });

/** Both verdicts side by side, fact by fact, then all else of the answer. */
function tellEvidence({ terminal }: Office, evidence: Evidence): void {
  const { as_known_then, as_known_now, history, sources, checks, ...facts } = evidence;
  terminal.record(facts);
  const [then, now] = [factsOf(as_known_then), factsOf(as_known_now)];
  const compared = [...new Set([...then.keys(), ...now.keys()])].map((fact) => {
    const [known_then, known_now] = [then.get(fact) ?? '–', now.get(fact) ?? '–'];
    return { '': known_then === known_now ? '' : '≠', fact, known_then, known_now };
  });
  terminal.data('');
  terminal.table(compared, ['', 'fact', 'known_then', 'known_now']);
  terminal.record({ history, sources, checks });
}

/** The facts of a verdict, with one for each session and subscription. */
function factsOf(verdict: Evidence['as_known_then']): Map<string, string> {
  const { sessions, subscriptions, ...facts } =
    'refused' in verdict ? { ...verdict, sessions: [], subscriptions: [] } : verdict;
  return new Map([
    ...[...flat(facts)].map(([name, value]): [string, string] => [name, cellOf(value)]),
    ...sessions.map(({ source_code, session_id, ...session }): [string, string] => [
      `session ${source_code}/${session_id}`,
      cellOf(session),
    ]),
    ...subscriptions.map(({ subscription_number, ...subscription }): [string, string] => [
      `subscription ${subscription_number}`,
      cellOf(subscription),
    ]),
  ]);
}
