import { type AnyCommand, AREA, commandOf, given, municipalityOption, PLATE } from '../command.ts';
import type { Office } from '../office.ts';
import { askedInstant } from '../times.ts';
import { eventOption } from './check.ts';

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
      office.show(await office.answer(office.client.searchEvidence(input, office.call)));
    });
