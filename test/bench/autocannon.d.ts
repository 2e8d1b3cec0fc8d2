/** What the bench uses of autocannon, which has no types of its own. */
declare module 'autocannon' {
  interface Request {
    readonly path: string;
    readonly method: 'POST';
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  }
  interface Options {
    readonly url: string;
    readonly connections: number;
    readonly duration?: number;
    readonly amount?: number;
    readonly setupClient: (client: { setRequests(requests: readonly Request[]): void }) => void;
  }
  export default function autocannon(options: Options): Promise<object>;
}
