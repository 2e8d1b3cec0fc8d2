/** What a till needs, such as a parking meter's: see docs/meter.md of the service. */
export { type ListStore, memoryStore } from '../gate/store.ts';
export { createPaymentOutbox } from './outbox.ts';
export type {
  Answered,
  Payment,
  PaymentOutbox,
  PaymentOutboxSettings,
  Reversal,
  SetAside,
} from './settings.ts';
