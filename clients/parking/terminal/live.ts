import { createLogUpdate } from 'log-update';
import { printed } from './door.ts';
import type { Terminal } from './terminal.ts';

/** Lines of a terminal that change in place. Without a terminal, nothing is drawn. */
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

  /** Leaves the lines as they are, and gives the cursor back. */
  end(): void {
    this.#draw?.done();
  }

  /** Removes the lines, and gives the cursor back. */
  clear(): void {
    this.#draw?.clear();
    this.#draw?.done();
  }
}
