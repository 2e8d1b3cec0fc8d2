/** The operations, as a row of the call log names them. */
export type OperationName =
  | 'plate_check'
  | 'plate_check_v1'
  | 'subscription_options'
  | 'subscription_payment'
  | 'evidence'
  | 'active_by_area'
  | 'import_sessions'
  | 'import_subscriptions'
  | 'entitlement_list'
  | 'credential'
  | 'patrol'
  | 'admin';

/** The administrator's actions that are logged: writes, and reads of much personal data. */
export type AdminAction =
  | 'configuration.put'
  | 'plate.export'
  | 'subscription.export'
  | 'plate.erase'
  | 'payment.settle'
  | 'payment.reverse'
  | 'credential.issue'
  | 'credential.change'
  | 'credential.revoke'
  | 'credential.rotate'
  | 'municipality.backup'
  | 'municipality.restore'
  | 'municipality.discard_restore';
