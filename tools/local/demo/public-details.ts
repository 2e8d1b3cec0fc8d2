import type { DemoArea } from './areas.ts';

const WORKING_DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** Prices, assigned in turn. */
const PRICES = ['2,00 €/h, max 14 €', '1,50 €/h, max 10 €', '2,50 €/h, max 18 €'];
const HEIGHTS = [190, 200, 210, 230];
/** One space in this many, as in plans of car parks. */
const DISABLED_PART = 50;
const CHARGING_PART = 80;

/**
 * The details of an area for the public: plausible but made up, as each address says, since the open data has none. Streets
 * are paid for on working days, car parks always.
 *
 * @param index the position of the area among those of its city
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
