import { refuse } from '../../base/errors/refusal.ts';
import { paidPeriods } from '../../domain/paid-period.ts';
import { UNKNOWN_MUNICIPALITY } from '../../serving/administration/fields.ts';
import { succeed } from '../../serving/answer.ts';
import type { App } from '../../serving/call.ts';
import { serve } from '../../serving/serve.ts';
import { read } from '../../storage/db/batch.ts';
import { namesOf } from '../../storage/plate-digest/names.ts';
import { clockOf, presentSubscription } from '../history/history.ts';
import { exportOfSubscription } from './contract.ts';
import { SUBSCRIPTION } from './subscription-table.ts';

/** Mounts the export of one subscription. */
export function subscriptionRoutes(app: App): void {
  serve(app, exportOfSubscription, async (c) => {
    const { municipality_code: code, subscription_number: number } = c.req.valid('json');
    const bounds = await c.get('bounds');
    await bounds.requireMunicipalities([code]);
    c.get('log').municipalityCode = code;
    c.get('log').target = code;
    const names = JSON.stringify(namesOf(c.env, number));
    const [[place], [title], spans] = await read(c.env.DB, SUBSCRIPTION, { code, names });
    if (place === undefined) refuse('NOT_FOUND', { message: UNKNOWN_MUNICIPALITY });
    if (title === undefined) refuse('NOT_FOUND', { message: NO_SUBSCRIPTION });
    const clock = clockOf(place.timeZone);
    return succeed(c, {
      municipality_code: code,
      subscription: presentSubscription({ ...title, spans }, clock),
      paid_periods: paidPeriods(title.paid)
        .sort((a, b) => a.startsAt - b.startsAt)
        .map(({ startsAt, endsAt }) => ({ starts_at: clock.shown(startsAt), ends_at: clock.shown(endsAt) })),
    });
  });
}

const NO_SUBSCRIPTION = {
  en: 'The municipality has no subscription with this number.',
  it: 'Il comune non ha un abbonamento con questo numero.',
};
