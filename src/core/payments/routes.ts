import type { App } from '../../serving/call.ts';
import { serve } from '../../serving/serve.ts';
import { found, foundForTheOffice, recorded, reversed, reversedByTheOffice, settled } from './contract.ts';
import { findPayments } from './find.ts';
import { placeOfCollector, placeOfOffice } from './place.ts';
import { recordPayment } from './record.ts';
import { reversePayment, reversePaymentForTheOffice } from './reverse.ts';
import { settlePayment } from './settle.ts';

/** Mounts the payments of collectors, and those of the office. */
export function paymentRoutes(app: App): void {
  serve(app, recorded, recordPayment);
  serve(app, reversed, reversePayment);
  serve(app, found, findPayments(placeOfCollector));
  serve(app, foundForTheOffice, findPayments(placeOfOffice));
  serve(app, settled, settlePayment);
  serve(app, reversedByTheOffice, reversePaymentForTheOffice);
}
