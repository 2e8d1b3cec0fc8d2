import type { DemoArea } from './areas.ts';

const WORKING_DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** What parking costs, in turn. */
const PRICES = ['2,00 €/h, max 14 €', '1,50 €/h, max 10 €', '2,50 €/h, max 18 €'];
const HEIGHTS = [190, 200, 210, 230];
/** One space in so many, as plans for car parks have it. */
const DISABLED_PART = 50;
const CHARGING_PART = 80;

/**
 * What the public is shown of an area besides its name: plausible, and made up, as each address says. The open data has none
 * of it. Streets are
 * paid for on working days, car parks always.
 *
 * @param index the place of the area among those of its city
 */
export function publicDetails({ areaType, name, capacity }: DemoArea, index: number) {
  const number = index + 1;
  const price_note = `${PRICES[index % PRICES.length]} (esempio)`;
  if (areaType === 'street') {
    return {
      address: `${name} (esempio)`,
      price_note,
      paid_hours: [{ days: WORKING_DAYS, from: '08:00', to: '20:00' }],
    };
  }
  return {
    address: `Piazza (esempio) ${number}`,
    price_note,
    website: `https://parcheggi.example/${number}`,
    max_height_cm: HEIGHTS[index % HEIGHTS.length],
    disabled_spaces: Math.max(2, Math.ceil((capacity ?? 0) / DISABLED_PART)),
    charging_spaces: Math.floor((capacity ?? 0) / CHARGING_PART),
  };
}
