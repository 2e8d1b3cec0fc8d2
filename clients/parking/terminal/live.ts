import { createLogUpdate } from 'log-update';
import { printed } from './door.ts';
import type { Terminal } from './terminal.ts';

/** Lines of a terminal that change in place. Where there is no terminal, nothing is drawn. */
export class Live {
  readonly #draw: ReturnType<typeof createLogUpdate> | null;

  constructor(terminal: Terminal, stream: 'stdout' | 'stderr') {
    const target = terminal[stream];
    this.#draw = terminal.isAnimated(target) ? createLogUpdate(target) : null;
  }

  get isDrawn(): boolean {
    return this.#draw !== null;
  }

  show(...lines: readonly string[]): void {
    this.#draw?.(lines.map(printed).join('\n'));
  }

  /** Leaves what is shown where it is, and gives the cursor back. */
  end(): void {
    this.#draw?.done();
  }

  /** Takes what is shown away, and gives the cursor back. */
  clear(): void {
    this.#draw?.clear();
    this.#draw?.done();
  }
}
