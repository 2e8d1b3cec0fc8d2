import { refuse } from '../../base/errors/refusal.ts';
import { UNKNOWN_MUNICIPALITY } from '../../serving/administration/fields.ts';
import { succeed } from '../../serving/answer.ts';
import type { App } from '../../serving/call.ts';
import { administration } from '../../serving/middleware/administration.ts';
import { logged } from '../../serving/middleware/call-log.ts';
import { deadline } from '../../serving/middleware/deadline.ts';
import { json } from '../../serving/middleware/json.ts';
import { officer } from '../../serving/middleware/officer.ts';
import { sharedPart } from '../../storage/history/subscription-changes.ts';
import { clockOf, presentSubscription } from '../history/history.ts';
import { exportOfSubscription } from './contract.ts';
import { readSubscription, type SubscriptionRow } from './subscription-table.ts';

/** Mounts the export of one subscription. */
export function subscriptionRoutes(app: App): void {
  const { path, deadlineMs, access, body } = exportOfSubscription;
  app.post(
    path,
    logged(exportOfSubscription),
    deadline(deadlineMs),
    administration(access),
    json(body),
    officer,
    async (c) => {
      const { municipality_code: code, subscription_number: number } = c.req.valid('json');
      const bounds = await c.var.bounds;
      await bounds.requireMunicipalities([code]);
      c.var.log.municipalityCode = code;
      c.var.log.target = code;
      const found = await readSubscription(c.env.DB, code, number);
      if (found === null || found.is_found === 0) {
        refuse('NOT_FOUND', { message: found === null ? UNKNOWN_MUNICIPALITY : NO_SUBSCRIPTION });
      }
      return succeed(c, {
        municipality_code: code,
        subscription: presentStored(number, found, found.timezone),
        paid_periods: presentPaid(found, found.timezone),
      });
    },
  );
}

type Span = readonly [plate: string, validFrom: number | null, validUntil: number | null];

type Period = readonly [startsAt: number, endsAt: number];

/** The periods that payments made. */
function presentPaid({ paid }: SubscriptionRow, timeZone: string) {
  const periods = JSON.parse(paid) as readonly Period[];
  const { shown } = clockOf(timeZone);
  return periods.map(([startsAt, endsAt]) => ({ starts_at: shown(startsAt), ends_at: shown(endsAt) }));
}

/** A stored subscription in the form of an import's line, with all its plates. */
function presentStored(number: string, { record, spans }: SubscriptionRow, timeZone: string) {
  // The shape that the statement selects.
  const all = JSON.parse(spans) as readonly Span[];
  const { shownOrNull } = clockOf(timeZone);
  return {
    ...presentSubscription({ ...sharedPart({ number, record }), plates: [] }, '', timeZone),
    plates: all.map(([plate, from, until]) => ({
      plate,
      valid_from: shownOrNull(from),
      valid_until: shownOrNull(until),
    })),
  };
}

const NO_SUBSCRIPTION = {
  en: 'The municipality has no subscription with this number.',
  it: 'Il comune non ha un abbonamento con questo numero.',
};
