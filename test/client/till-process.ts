// A till as a process of its own, to be killed: it takes money until so many payments are in its journal, and ends once all are answered.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileStore } from '../../clients/client/node/index.ts';
import { createPaymentOutbox } from '../../clients/client/payments/index.ts';
import { payment } from './payments-world.ts';

const [folder = '', address = '', count = '0'] = process.argv.slice(2);
const journal = join(folder, 'journal');
const outbox = createPaymentOutbox({
  ...{
    baseUrl: address,
    token: 'pev_at_x',
    inBackground: false,
    store: fileStore(join(folder, 'payments.json')),
  },
  onSetAside: () => process.exit(1),
});

// The journal has a line of each payment whose money was taken. Of the last one nobody knows whether it was kept.
const taken = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').filter(Boolean).length : 0;
if (taken > 0) await outbox.pay(payment(taken - 1));
for (let n = taken; n < Number(count); n += 1) {
  appendFileSync(journal, `${n}\n`);
  await outbox.pay(payment(n));
}
process.exit((await outbox.send()) ? 0 : 1);
