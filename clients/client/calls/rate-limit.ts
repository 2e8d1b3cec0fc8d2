/** The rest of the credential's budget, from the header `RateLimit`. */
export interface RateLimit {
  /** Which budget: `calls`, `options`, … */
  readonly name: string;
  /** Calls left in it. */
  readonly remaining: number;
  /** Seconds until some of it is available again. */
  readonly resetSeconds: number;
}

const FORM = /^"(\w{1,40})";r=(\d{1,9});t=(\d{1,9})$/;

/** Reads `"calls";r=118;t=60`. Null: it is absent, hidden from a page of another origin, or of another form. */
export function rateLimitOf(header: string | null): RateLimit | null {
  const [, name, remaining, resetSeconds] = FORM.exec(header ?? '') ?? [];
  return name === undefined
    ? null
    : { name, remaining: Number(remaining), resetSeconds: Number(resetSeconds) };
}
