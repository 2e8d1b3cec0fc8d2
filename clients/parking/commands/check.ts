import type { Input } from '../../client/index.ts';
import { type AnyCommand, AREA, commandOf, given, municipalityOption, Option, PLATE } from '../command.ts';
import type { Office } from '../office.ts';
import { askedInstant } from '../times.ts';

export const eventOption = () =>
  new Option('-e, --event <event>', 'what happens at the gate').choices([
    'verify',
    'entry',
    'exit',
  ] as const satisfies readonly Input<'checkPlate'>['event'][]);

export const checkCommand = (office: Office): AnyCommand =>
  commandOf(
    'check',
    'Ask whether a plate may park. A plate without any entitlement is an answer: the exit code is 0.',
    [
      'parking check "AB 123 CD"',
      'parking check AB123CD --area P1 --event entry',
      'parking check AB123CD --json | jq .has_valid_entitlement',
    ],
  )
    .argument('<plate>', PLATE)
    .addOption(municipalityOption())
    .option('-a, --area <code>', AREA)
    .addOption(eventOption())
    .option('--at <time>', 'another instant than now: 2026-03-07 17:44')
    .action(async (plate, { municipality, area, event, at }) => {
      const checkedAt = at === undefined ? undefined : await askedInstant(office, at, municipality);
      const input = {
        ...{ plate, ...office.municipality(municipality) },
        ...given({ area_code: area, event, checked_at: checkedAt }),
      };
      office.show(await office.answer(office.client.checkPlate(input, office.call)));
    });

export const optionsCommand = (office: Office): AnyCommand =>
  commandOf('options', 'Ask which subscription plans a plate can buy at a parking meter.', [
    'parking options AB123CD',
    'parking options AB123CD --terminal METER-17 --json',
  ])
    .argument('<plate>', PLATE)
    .addOption(municipalityOption())
    .option('-t, --terminal <code>', 'code of the meter, for the call log')
    .action(async (plate, { municipality, terminal }) => {
      const input = { plate, ...office.municipality(municipality), ...given({ terminal_code: terminal }) };
      office.show(await office.answer(office.client.findSubscriptionOptions(input, office.call)));
    });

export const callCommand = (office: Office): AnyCommand =>
  commandOf('call', 'Look a call up in the call log by its request id.', [
    'parking call 650cefe7-017b-4736-b116-d259726256f7',
  ])
    .argument('<request-id>', 'the request_id of its answer')
    .action(async (request_id) => {
      const { call } = await office.answer(office.client.getCall({ request_id }, office.call));
      office.show(call);
    });

export const statusCommand = (office: Office): AnyCommand =>
  commandOf(
    'status',
    'Show the state of the service: the database, late sources, snapshots, retention, and wrong settings.',
    ['parking status', 'parking status --json'],
  ).action(async () => office.show(await office.answer(office.client.getStatus({}, office.call))));
