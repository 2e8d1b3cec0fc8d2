import { html, nothing, type SVGTemplateResult, svg, type TemplateResult } from 'lit';
import type { Area, Status } from './answer.ts';

/** A shape for each status, for readers who do not see its colour. */
const SHAPES: Readonly<Record<Status, SVGTemplateResult>> = {
  available: svg`<circle cx="8" cy="8" r="6" />`,
  almost_full: svg`<path d="M8 2 15 14H1Z" />`,
  full: svg`<path d="M2 2h12v12H2Z" /><path class="cut" d="M4.5 8h7" />`,
  closed: svg`<path class="outline" d="M3 3 13 13M13 3 3 13" />`,
  unknown: svg`<path class="outline" d="M8 2 14 8 8 14 2 8Z" />`,
};

/** The words next to it say the same, so it is hidden from screen readers. */
export const shapeOf = (status: Status): TemplateResult =>
  html`<svg class="shape" viewBox="0 0 16 16" aria-hidden="true">${SHAPES[status]}</svg>`;

/** How much of the area is free. Its width is an attribute: a strict policy of the page forbids styles in elements. */
export const barOf = ({ capacity, available_now }: Area): TemplateResult =>
  html`<svg class="bar" aria-hidden="true">
    <rect class="track" width="100%" height="100%" rx="4" />
    ${
      capacity === null || available_now === null
        ? nothing
        : svg`<rect class="level" width="${percent(available_now, capacity)}%" height="100%" rx="4" />`
    }
  </svg>`;

const percent = (part: number, whole: number): number =>
  whole <= 0 ? 0 : Math.min(100, Math.max(0, Math.round((part / whole) * 1_000) / 10));
