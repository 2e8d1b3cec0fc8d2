import type { App } from '../../serving/call.ts';
import { serve } from '../../serving/serve.ts';
import { found, foundForTheOffice, recorded, reversed, reversedByTheOffice, settled } from './contract.ts';
import { findPayments } from './find.ts';
import { findPaymentsForTheOffice, reversePaymentForTheOffice, settlePayment } from './office.ts';
import { recordPayment } from './record.ts';
import { reversePayment } from './reverse.ts';

/** Mounts the payments of collectors, and those of the office. */
export function paymentRoutes(app: App): void {
  serve(app, recorded, recordPayment);
  serve(app, reversed, reversePayment);
  serve(app, found, findPayments);
  serve(app, foundForTheOffice, findPaymentsForTheOffice);
  serve(app, settled, settlePayment);
  serve(app, reversedByTheOffice, reversePaymentForTheOffice);
}
