import type { Payment, Reversal } from '../../clients/client/payments/index.ts';

const REQUEST_ID = '7f1b6f6e-6f0e-4a53-9d0c-0d7f4f6c1b52';

/** A payment of a till. */
export const payment = (n: number, changed: Partial<Payment> = {}): Payment => ({
  ...{ payment_id: `M17-${n}`, plate: `AB${n}CD`, terminal_code: 'METER-17', codice_tariffa: '101' },
  ...{ importo_eurocent: 2_500, collected_at: '2026-03-07T17:45:03+01:00', ...changed },
});

/** Its reversal. */
export const reversal = (n: number, changed: Partial<Reversal> = {}): Reversal => ({
  ...{ payment_id: `M17-${n}`, reversed_at: '2026-03-07T17:46:00+01:00', ...changed },
});

const json = (status: number, body: object, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify({ success: status < 300, ok: status < 300, request_id: REQUEST_ID, ...body }), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });

/** How the service refuses. */
export const failing = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  json(status, { error: { code, message: 'no' } }, headers);

const recordOf = (sent: Payment, isAgain: boolean) => ({
  ...{ result_code: 'PERIOD_CREATED', message: 'It is paid.', accepted: true, already_recorded: isAgain },
  ...{ municipality: { code: 'L219', name: 'Torino' }, timezone: 'Europe/Rome', ...sent },
  ...{ recorded_at: sent.collected_at, subscription_number: 'S-1', operation: 'renewal' },
  expected_eurocent: sent.importo_eurocent,
  period: { starts_at: sent.collected_at, ends_at: '2026-04-07T17:45:03+02:00' },
  scadenza: '17:45 07/04/2026',
});

/** The service, as far as payments go: it knows each key once. */
export class Bookkeeper {
  readonly payments = new Map<string, Payment>();
  readonly reversals = new Map<string, Reversal>();
  /** How often each key was recorded: never more than once. */
  readonly made = new Map<string, number>();

  answer(path: string, body: string): Response {
    return path.endsWith('/reverse') ? this.#reverse(JSON.parse(body)) : this.#record(JSON.parse(body));
  }

  #record(sent: Payment): Response {
    if (sent.plate === '') return failing(422, 'INVALID_PLATE');
    const stored = this.payments.get(sent.payment_id);
    if (stored !== undefined && JSON.stringify(stored) !== JSON.stringify(sent)) {
      return failing(409, 'PAYMENT_CONFLICT');
    }
    if (stored === undefined) {
      this.payments.set(sent.payment_id, sent);
      this.made.set(sent.payment_id, (this.made.get(sent.payment_id) ?? 0) + 1);
    }
    return json(200, { api_version: '2.1', ...recordOf(sent, stored !== undefined) });
  }

  #reverse(sent: Reversal): Response {
    const stored = this.payments.get(sent.payment_id);
    const before = this.reversals.has(sent.payment_id);
    if (stored !== undefined) this.reversals.set(sent.payment_id, sent);
    const known = before ? 'ALREADY_REVERSED' : 'PAYMENT_REVERSED';
    return json(200, {
      ...{
        api_version: '2.1',
        result_code: stored === undefined ? 'PAYMENT_NOT_FOUND' : known,
        message: 'So.',
      },
      ...{ accepted: stored !== undefined, payment_id: sent.payment_id },
      ...{ municipality: { code: 'L219', name: 'Torino' }, timezone: 'Europe/Rome' },
      payment: stored === undefined ? null : { ...recordOf(stored, false), state: 'reversed', ...AFTER },
    });
  }
}
const AFTER = { reversed_at: '2026-03-07T17:46:00+01:00', settled: null };
