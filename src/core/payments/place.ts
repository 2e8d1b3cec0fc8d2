import { refuse } from '../../base/errors/refusal.ts';
import { UNKNOWN_MUNICIPALITY } from '../../serving/administration/fields.ts';
import type { Call } from '../../serving/call.ts';
import { factsBesideGrant } from '../../serving/lookups/granted-municipality.ts';
import { namesOf } from '../../storage/plate-digest/names.ts';
import { type PlaceAndPayment, readPayment } from './payments-table.ts';

/** The request of a call about one municipality, and perhaps about one payment. */
interface Asked {
  readonly municipality_code?: string | undefined;
  readonly payment_id?: string | undefined;
}

/** Finds the municipality that a call is about, and the payment. */
export type FindPlace = (c: Call, asked: Asked) => Promise<PlaceAndPayment>;

const namesIn = (c: Call, { payment_id: id }: Asked) => (id === undefined ? [] : namesOf(c.env, id));

/** For a collector: reads them while the admission is being decided. */
export const placeOfCollector: FindPlace = async (c, asked) => {
  const names = namesIn(c, asked);
  const beside = factsBesideGrant(c, asked.municipality_code, (code) => readPayment(c.env.DB, code, names));
  return beside.within(await c.get('admission').granted);
};

/**
 * For the office, which names the municipality. The log names it too, whatever becomes of the call.
 *
 * @throws Refusal `MUNICIPALITY_NOT_ALLOWED`, `NOT_FOUND`
 */
export const placeOfOffice: FindPlace = async (c, { municipality_code: code = '', ...asked }) => {
  const bounds = await c.get('bounds');
  await bounds.requireMunicipalities([code]);
  c.get('log').municipalityCode = code;
  c.get('log').target = code;
  const place = await readPayment(c.env.DB, code, namesIn(c, asked));
  return place ?? refuse('NOT_FOUND', { message: UNKNOWN_MUNICIPALITY });
};
