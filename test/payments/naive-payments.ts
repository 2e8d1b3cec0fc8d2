/** A naive model of one title's payments: lists that are searched from the front, and no history. Times are UTC. */

interface Paid {
  readonly id: string;
  readonly at: number;
  readonly plan: string;
  readonly starts: number;
  ends: number;
  isReversed: boolean;
}

interface Brought {
  readonly starts: number;
  readonly ends: number;
}

const DAY = 86_400_000;
export const PLANS: Readonly<Record<string, { readonly cents: number; readonly days: number }>> = {
  '101': { cents: 2_500, days: 30 },
  '102': { cents: 300, days: 1 },
};

export class NaiveTitle {
  brought: readonly Brought[] = [];
  /** Paid periods, and what is left of reversed ones. */
  paid: Paid[] = [];
  /** What each payment was answered. */
  readonly answers = new Map<string, string>();

  periods(): Brought[] {
    return [...this.brought, ...this.paid.map(({ starts, ends }) => ({ starts, ends }))];
  }

  isValid(at: number): boolean {
    return this.periods().some(({ starts, ends }) => starts <= at && at < ends);
  }

  reasonAt(at: number): string {
    const all = this.periods();
    if (all.length === 0) return 'FIRST_ACTIVATION_REQUIRED';
    if (this.isValid(at)) return 'VALID_SUBSCRIPTION';
    return all.some(({ starts }) => at < starts) ? 'PERIOD_NOT_YET_ACTIVE' : 'PERIOD_EXPIRED';
  }

  import(lines: readonly Brought[]): void {
    this.brought = lines;
  }

  pay(id: string, plan: string, cents: number, at: number): string {
    const known = this.answers.get(id);
    if (known !== undefined) return known;
    const answer = this.#judge(id, plan, cents, at);
    this.answers.set(id, answer);
    return answer;
  }

  #judge(id: string, plan: string, cents: number, at: number): string {
    if (this.periods().some(({ starts }) => at < starts)) return 'FUTURE_RENEWAL_ALREADY_PRESENT';
    const sold = PLANS[plan];
    if (sold === undefined) return 'PLAN_NOT_FOUND';
    if (sold.cents !== cents) return 'AMOUNT_MISMATCH';
    const isDouble = this.paid.some(
      (other) => !other.isReversed && other.plan === plan && other.at <= at && at - other.at < 600_000,
    );
    if (isDouble) return 'POSSIBLE_DOUBLE_PAYMENT';
    const running = this.periods().filter(({ starts, ends }) => starts <= at && at < ends);
    const starts = running.length === 0 ? at : Math.max(...running.map(({ ends }) => ends));
    const midnight = starts - (starts % DAY);
    this.paid.push({
      id,
      at,
      plan,
      starts,
      ends: midnight + sold.days * DAY + (at % DAY),
      isReversed: false,
    });
    return 'PERIOD_CREATED';
  }

  reverse(id: string, now: number): string {
    const answer = this.answers.get(id);
    if (answer === undefined) return 'PAYMENT_NOT_FOUND';
    if (answer === 'reversed') return 'ALREADY_REVERSED';
    const own = this.paid.find((paid) => paid.id === id);
    if (own !== undefined) {
      own.isReversed = true;
      if (now <= own.starts) this.paid = this.paid.filter((paid) => paid !== own);
      else own.ends = Math.min(own.ends, now);
    }
    this.answers.set(id, 'reversed');
    return 'PAYMENT_REVERSED';
  }
}
