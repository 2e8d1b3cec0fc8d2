import { DAY_MS } from '../../../src/domain/instant.ts';
import type { Answer, Input } from '../../client/index.ts';
import { confirm } from '../ask.ts';
import { type AnyCommand, commandOf, given, municipalityOption, Option, yesOption } from '../command.ts';
import type { Office } from '../office.ts';
import { EXIT, Stop } from '../stop.ts';
import { askedInstant, END } from '../times.ts';

type Found = Answer<'findPaymentsForOffice'>;
type Payment = Found['payments'][number];

/** The longest window of a search. */
const MAX_DAYS = 31;

const ID = 'its payment_id';
const COLUMNS = [
  'payment_id',
  'collected_at',
  'terminal_code',
  'plate',
  'importo_eurocent',
  'state',
  'result_code',
];
const STATES = [
  'accepted',
  'unsettled',
  'settled',
  'reversed',
] as const satisfies readonly Payment['state'][];
const OUTCOMES = ['refunded', 'corrected'] as const satisfies readonly Input<'settlePayment'>['outcome'][];

export const paymentCommands = (office: Office): readonly AnyCommand[] => [
  commandOf(
    'list',
    'List the payments that were collected in a stretch of time, with the totals of every state. It takes an office’s token.',
    [
      'parking payment list --municipality H501',
      'parking payment list --state unsettled --from 01/11/2026 --until 30/11/2026 --municipality H501',
    ],
  )
    .option('--from <time>', 'collected from then on (default: the 31 days before --until)')
    .option('--until <time>', 'and before then; a date alone: with that day (default: now)')
    .option('-t, --terminal <code>', 'of this terminal')
    .addOption(new Option('--state <state>', 'in this state').choices(STATES))
    .addOption(municipalityOption())
    .action(async ({ from, until, terminal, state, municipality }) => {
      const municipality_code = office.requireMunicipality(municipality);
      const window = await askedWindow(office, municipality_code, from, until);
      const filter = given({ terminal_code: terminal, state });
      const { payments, totals } = await findAll(office, { municipality_code, ...window, ...filter });
      if (office.json) {
        office.terminal.json({ payments, totals });
        return;
      }
      if (payments.length > 0) {
        office.terminal.table(payments, COLUMNS);
        office.terminal.data('');
      }
      office.terminal.table(Object.entries(totals).map(([name, sum]) => ({ state: name, ...sum })));
    }),

  commandOf('show', 'Show a payment: what became of it, and why. It takes an office’s token.', [
    'parking payment show P-1 --municipality H501',
  ])
    .argument('<payment>', ID)
    .addOption(municipalityOption())
    .action(async (id, { municipality }) => {
      office.show(await requirePayment(office, office.requireMunicipality(municipality), id));
    }),

  commandOf(
    'settle',
    'Record how the office settled a payment that made no period, after showing it and asking. It changes no subscription and moves no money.',
    ['parking payment settle P-1 --outcome refunded --note "Refunded on 25/11" --municipality H501'],
  )
    .argument('<payment>', ID)
    .addOption(
      new Option('--outcome <outcome>', 'the money was given back, or the subscription corrected')
        .choices(OUTCOMES)
        .makeOptionMandatory(),
    )
    .option('--note <text>', 'what to remember, 200 characters')
    .addOption(municipalityOption())
    .addOption(yesOption())
    .action(async (payment_id, { outcome, note, municipality, yes }) => {
      const municipality_code = office.requireMunicipality(municipality);
      // Never ask about a payment that was not shown.
      if (!yes) office.terminal.record(await requirePayment(office, municipality_code, payment_id), 'stderr');
      await confirm(office, yes, `Record it as ${outcome}?`, null);
      const input = { municipality_code, payment_id, outcome, ...given({ note }) };
      const { payment } = await office.answer(office.client.settlePayment(input));
      office.show(payment);
    }),
];

/** @throws Stop if there is none with this key */
async function requirePayment(
  office: Office,
  municipality_code: string,
  payment_id: string,
): Promise<Payment> {
  const [payment] = (
    await office.answer(office.client.findPaymentsForOffice({ municipality_code, payment_id }, office.call))
  ).payments;
  if (payment !== undefined) return payment;
  throw new Stop(EXIT.refused, `There is no payment ${payment_id}.`, { code: 'NOT_FOUND' });
}

/** All payments of a search, and the totals of their states. */
async function findAll(
  office: Office,
  search: Input<'findPaymentsForOffice'>,
): Promise<{ payments: Payment[]; totals: Partial<Found['totals']> }> {
  const payments: Payment[] = [];
  let totals: Partial<Found['totals']> = {};
  const found = office.pages(
    (cursor) => office.client.findPaymentsForOffice({ ...search, ...cursor }, office.call),
    ({ next }) => next,
  );
  for await (const page of found) {
    payments.push(...page.payments);
    ({ totals } = page);
  }
  return { payments, totals };
}

async function askedWindow(
  office: Office,
  municipality: string,
  from: string | undefined,
  until: string | undefined,
): Promise<{ readonly from: string; readonly until: string }> {
  const end =
    until === undefined ? new Date().toISOString() : await askedInstant(office, until, municipality, END);
  const start =
    from === undefined
      ? new Date(Date.parse(end) - MAX_DAYS * DAY_MS).toISOString()
      : await askedInstant(office, from, municipality);
  return { from: start, until: end };
}
