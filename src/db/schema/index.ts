export * from './call-log.ts';
export * from './configuration.ts';
export * from './credentials.ts';
export * from './erasure.ts';
export * from './journal.ts';
export * from './moves.ts';
export * from './sessions.ts';
export * from './subscriptions.ts';
