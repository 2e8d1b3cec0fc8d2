import type { App } from '../../serving/call.ts';
import { administration } from '../../serving/middleware/administration.ts';
import { logged } from '../../serving/middleware/call-log.ts';
import { credential } from '../../serving/middleware/credential.ts';
import { deadline } from '../../serving/middleware/deadline.ts';
import { json } from '../../serving/middleware/json.ts';
import { officer } from '../../serving/middleware/officer.ts';
import { found, foundForTheOffice, recorded, reversed, reversedByTheOffice, settled } from './contract.ts';
import { findPayments } from './find.ts';
import { findPaymentsForTheOffice, settlePayment } from './office.ts';
import { recordPayment } from './record.ts';
import { reversePayment, reversePaymentForTheOffice } from './reverse.ts';

/** Mounts the payments of collectors, and those of the office. */
export function paymentRoutes(app: App): void {
  app.post(
    recorded.path,
    logged(recorded),
    deadline(recorded.deadlineMs),
    credential(recorded.access),
    json(recorded.body),
    recordPayment,
  );
  app.post(
    reversed.path,
    logged(reversed),
    deadline(reversed.deadlineMs),
    credential(reversed.access),
    json(reversed.body),
    reversePayment,
  );
  app.post(
    found.path,
    logged(found),
    deadline(found.deadlineMs),
    credential(found.access),
    json(found.body),
    findPayments,
  );
  app.post(
    foundForTheOffice.path,
    logged(foundForTheOffice),
    deadline(foundForTheOffice.deadlineMs),
    administration(foundForTheOffice.access),
    json(foundForTheOffice.body),
    officer,
    findPaymentsForTheOffice,
  );
  app.post(
    settled.path,
    logged(settled),
    deadline(settled.deadlineMs),
    administration(settled.access),
    json(settled.body),
    officer,
    settlePayment,
  );
  app.post(
    reversedByTheOffice.path,
    logged(reversedByTheOffice),
    deadline(reversedByTheOffice.deadlineMs),
    administration(reversedByTheOffice.access),
    json(reversedByTheOffice.body),
    officer,
    reversePaymentForTheOffice,
  );
}
