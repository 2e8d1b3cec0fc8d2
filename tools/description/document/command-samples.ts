import type { SampleCall } from './sample-call.ts';

/** The office's command for an operation: its words, with the names of the example's values. */
const COMMANDS: Readonly<Record<string, string>> = {
  checkPlate: 'parking check {plate} --municipality {municipality_code} --area {area_code}',
  checkPlateAlias: 'parking check {plate} --municipality {municipality_code} --area {area_code}',
  checkPlateV1: 'parking check {plate} --area {area_code}',
  searchEvidence: 'parking evidence {plate} --at {at} --municipality {municipality_code} --area {area_code}',
  findSubscriptionOptions:
    'parking options {plate} --municipality {municipality_code} --terminal {terminal_code}',
  reportActiveByArea: 'parking report',
  importSessions:
    'parking import sessions today.ndjson --municipality {municipality_code} --source {source_code}',
  importSubscriptions: 'parking import subscriptions residents.ndjson --municipality {municipality_code}',
  putConfiguration: 'parking config put roma.yaml',
  getConfiguration: 'parking config get {municipality_code}',
  issueCredential:
    'parking credential issue --tenant {tenant} --name {name} --scope {scopes} --municipality {municipalities} --area {areas} --ip {ip_allowlist} --out new.json',
  listCredentials: 'parking credential list',
  reconcileCredentials: 'parking credential reconcile',
  changeCredential: 'parking credential change {credential_id} --rate-limit 600/60s --any-ip',
  revokeCredential: 'parking credential revoke {credential_id}',
  rotateCredential: 'parking credential rotate {credential_id} --overlap 1d --out new.json',
  getCall: 'parking call {request_id}',
  listDatabases: 'parking database list',
  getStatus: 'parking status',
  moveMunicipality: 'parking database move {code} --to {to}',
  callOffMove: 'parking database move {code} --call-off',
  backUpMunicipality: 'parking backup {code} --out {code}.ndjson.gz',
  restoreMunicipality: 'parking restore {code}.ndjson.gz --tenant {tenant}',
  discardRestore: 'parking restore --discard {code}',
  exportPlate: 'parking plate export {plate} --tenant {tenant} --out {plate}.json',
  exportSubscription: 'parking subscription show {subscription_number} --municipality {municipality_code}',
  findPaymentsForOffice: 'parking payment list --municipality {municipality_code}',
  settlePayment:
    'parking payment settle {payment_id} --outcome {outcome} --note {note} --municipality {municipality_code}',
  erasePlate: 'parking plate erase {plate} --tenant {tenant}',
  getOwnCredential: 'parking doctor',
  getDescription: 'parking doctor',
  getHealth: 'parking doctor',
};

/**
 * The command line for the parking office. Null: the command cannot do it.
 *
 * @throws Error if the example lacks a value that the words name
 */
export function commandSample({ of, path, query, body }: SampleCall): string | null {
  const values: Readonly<Record<string, unknown>> = { ...path, ...query, ...fieldsOf(body) };
  const words = COMMANDS[of.id];
  if (words === undefined) return null;
  return words.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the example of ${of.id} has no ${name}`);
    const text = String(value);
    return /^[\w.:+/,-]+$/.test(text) ? text : `"${text}"`;
  });
}

const fieldsOf = (body: unknown): object => (typeof body === 'object' && body !== null ? body : {});
