import type { Random } from '../domain/random.ts';
import type { Answer } from '../support/service.ts';
import { around, type City, putDocument, send } from './cells.ts';

export const PLATES = ['AA000AA', 'BB111BB', 'CC222CC'];

/** Something that is sent to a municipality: an import, or a configuration. */
type Change = (to: City) => Promise<Answer>;

/** A random change. */
export function randomChange(random: Random): Change {
  const now = Date.now();
  const plate = random.pick(PLATES);
  const key = `K-${random.below(6)}`;
  const [kind, line] = random.pick([
    [
      'sessions',
      {
        session_id: key,
        plate,
        area_code: random.pick(['P1', 'S1']),
        ...around(now + (random.below(5) - 2) * 1_800_000),
        cancelled_at: random.oneIn(5) ? new Date(now).toISOString() : null,
      },
    ],
    [
      'subscriptions',
      {
        ...{ subscription_number: key, type: 'RES', approval: 'approved' },
        plates: random.oneIn(6)
          ? []
          : PLATES.filter((other) => other === plate || random.oneIn(3)).map((one) => ({ plate: one })),
        areas: random.pick(['all', ['P1'], ['S1']]),
        periods: random.oneIn(3) ? [] : [around(now)],
      },
    ],
  ] as const);
  return (to) =>
    random.oneIn(6)
      ? putDocument(to.service, {
          municipalities: [{ code: to.code, areas: [{ code: 'P1', capacity: 10 + random.below(50) }] }],
        })
      : send(to, kind, line);
}
