import type { Answer } from '../../client/operation-types.ts';
import { say } from '../language.ts';
import { areaName, type City } from './session.ts';
import type { Times } from './times.ts';
import { APPROVAL, COLUMN } from './words.ts';

type Recorded = Answer<'searchEvidence'>['history'][number]['record'];
type RecordedSession = Extract<Recorded, { session_id: string }>;
type RecordedPayment = Extract<Recorded, { payment_id: string }>;
export type Title = Answer<'exportSubscription'>['subscription'];

/** A recorded session, title or payment in a few words. */
export function recordText(record: Recorded, city: City, times: Times): string {
  if ('session_id' in record) return sessionText(record, city, times);
  return 'payment_id' in record ? paymentText(record, times) : titleText(record, times);
}

const joined = (...parts: readonly (string | null | false)[]): string => parts.filter(Boolean).join(', ');

function sessionText(session: RecordedSession, city: City, times: Times): string {
  const { area_code: area, starts_at: from, ends_at: until, cancelled_at: cancelled } = session;
  const at = times.shown(cancelled);
  const ended = cancelled && say(`cancelled from ${at}`, `annullata dal ${at}`);
  return joined(areaName(city, area), times.span(from, until), ended);
}

function titleText(title: Title, times: Times): string {
  const { authorized_from: from, authorized_until: until, revoked_at: revoked, periods } = title;
  const ended = times.shown(revoked);
  return joined(
    APPROVAL[title.approval],
    (from ?? until) && `${say('authorized', 'autorizzato')} ${times.span(from, until)}`,
    periods.map((one) => times.span(one.starts_at, one.ends_at)).join('; '),
    revoked && say(`ended on ${ended}`, `terminato il ${ended}`),
  );
}

/** The period that was paid, for which title, and when. */
function paymentText(payment: RecordedPayment, times: Times): string {
  const { subscription_number: number, period, collected_at: collected, reversed_at: reversed } = payment;
  const [paid, back] = [times.exact(collected), times.shown(reversed)];
  const span = period && times.span(period.starts_at, period.ends_at);
  return joined(
    span === null ? say('made no period', 'nessun periodo') : say(`period ${span}`, `periodo ${span}`),
    number && say(`of permit ${number}`, `dell’abbonamento ${number}`),
    say(`paid on ${paid}`, `pagato il ${paid}`),
    reversed && say(`reversed on ${back}`, `stornato il ${back}`),
  );
}

/** A title's fields as a clerk reads them. */
export function titleFacts(title: Title, city: City, times: Times): [name: string, value: string][] {
  const type = city.subscription_types.find(({ code }) => code === title.type)?.name ?? title.type;
  const plates = title.plates.map(({ plate, valid_from: from, valid_until: until }) =>
    from || until ? `${plate} (${times.span(from, until)})` : plate,
  );
  const areas =
    title.areas === 'all' ? say('all', 'tutte') : title.areas.map((code) => areaName(city, code)).join(', ');
  return [
    [COLUMN.type, type],
    [COLUMN.plates, plates.join(', ') || '–'],
    [COLUMN.approval, APPROVAL[title.approval]],
    [COLUMN.areas, areas],
    [say('Authorized', 'Autorizzato'), times.span(title.authorized_from, title.authorized_until)],
    [
      say('Suspended', 'Sospeso'),
      title.suspended_from ? times.span(title.suspended_from, title.suspended_until) : '–',
    ],
    [COLUMN.revoked_at, times.shown(title.revoked_at)],
  ];
}
