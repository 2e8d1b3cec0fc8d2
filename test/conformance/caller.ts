import type { CredentialOperation } from '../suites/operations.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { type Answer, Service } from '../support/service.ts';

type Headers = Record<string, string>;
type Changes = Parameters<typeof issueCredential>[0];

/** Calls one operation, with valid bodies unless a test says otherwise. */
export class Caller {
  readonly operation: CredentialOperation;
  readonly service = new Service();
  #credential: TestCredential | undefined;

  constructor(operation: CredentialOperation) {
    this.operation = operation;
  }

  /** Gets a credential that may call the operation. */
  async begin(): Promise<void> {
    this.#credential = await this.issue();
  }

  get credential(): TestCredential {
    if (this.#credential === undefined) throw new Error('the caller has not begun');
    return this.#credential;
  }

  /** Issues another one, of the operation’s scope unless said otherwise. */
  issue(changed: Changes = {}, municipalityIds?: readonly number[]): Promise<TestCredential> {
    const { scope } = this.operation;
    return issueCredential({ scopes: scope === null ? [] : [scope], ...changed }, municipalityIds);
  }

  /** A credential with a budget of one call: tells whether a call before has spent it. */
  oneCall(changed: Changes = {}): Promise<TestCredential> {
    return this.issue({ rateLimit: 1, ...changed });
  }

  async isUsedUp({ headers }: TestCredential): Promise<boolean> {
    return (await this.send(headers)).status === 429;
  }

  send(headers: Headers, body: unknown = this.operation.body, to = this.service): Promise<Answer> {
    return this.#call(this.operation.path, headers, body, to);
  }

  /** Names a municipality: in the body, or in the query where the body is lines or none. */
  sendTo(municipality: string, headers: Headers): Promise<Answer> {
    const { path, body, contentType } = this.operation;
    if (contentType === 'application/json') {
      return this.send(headers, JSON.stringify({ ...JSON.parse(body), municipality_code: municipality }));
    }
    const named = `${path}${path.includes('?') ? '&' : '?'}municipality_code=${municipality}`;
    return this.#call(named, headers, body, this.service);
  }

  #call(path: string, headers: Headers, body: unknown, to: Service): Promise<Answer> {
    const { method, contentType, takesBody } = this.operation;
    return to.call(path, {
      method,
      ...(takesBody && { body }),
      headers: { 'Content-Type': contentType, ...headers },
    });
  }
}
