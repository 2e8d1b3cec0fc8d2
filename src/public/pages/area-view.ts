import type { AreaDetails, Snapshot, SnapshotArea } from '../../core/snapshots/snapshot.ts';
import type { Instant } from '../../domain/instant.ts';
import {
  type AreaStatus,
  type DataQuality,
  type PublicView,
  publicView,
} from '../../domain/public-status.ts';
import { hoursText } from './hours-text.ts';
import { type Html, html, nameOf } from './html.ts';
import type { Texts } from './texts-en.ts';

/** An area with what the public sees of it, and its number on the page. */
export interface ShownArea {
  readonly area: SnapshotArea;
  readonly view: PublicView;
  readonly number: number;
}

/** What all areas of a city's page have in common. */
interface AreaSetting {
  readonly texts: Texts;
  /** When figures that are late were last known. Null: they are not late. */
  readonly lateSince: string | null;
  readonly time: (at: Instant) => string;
  /** Within the next days: with the day of the week. */
  readonly when: (at: Instant) => string;
}

/** What the public sees of an area, as everywhere else. */
export const viewOf = (
  { capacity, all, details }: SnapshotArea,
  { at }: Snapshot,
  quality: DataQuality,
): PublicView => publicView({ capacity, counters: all, closedUntil: details.closedUntil }, at, quality);

/** A shape for each status, so that nobody needs to see its colour. */
const SHAPES: Readonly<Record<AreaStatus, Html>> = {
  available: html`<circle cx="8" cy="8" r="6"/>`,
  almost_full: html`<path d="M8 2 15 14H1Z"/>`,
  full: html`<path d="M2 2h12v12H2Z"/><path class="cut" d="M4.5 8h7"/>`,
  closed: html`<path class="outline" d="M3 3 13 13M13 3 3 13"/>`,
  unknown: html`<path class="outline" d="M8 2 14 8 8 14 2 8Z"/>`,
};

/** An area of a city's page. */
export function areaItem({ area, view, number }: ShownArea, setting: AreaSetting): Html {
  const { texts, lateSince } = setting;
  const { status } = view;
  return html`<li class="area ${status}" id="${anchorOf(area)}">
<h2><span class="number">${number}</span> ${nameOf(area.name)} <small>${texts.types[area.areaType]}</small></h2>
<p class="status"><span><svg viewBox="0 0 16 16" aria-hidden="true">${SHAPES[status]}</svg> ${texts.statuses[status]}</span> ${view.figures === null || lateSince === null ? null : html`<span class="known">${texts.lastKnown(lateSince)}</span>`}</p>
${writeFigures(area, view, setting)}
${writeDetails(area, setting)}
</li>
`;
}

/** The place of an area in its page. */
export const anchorOf = ({ code }: SnapshotArea): string => `area-${encodeURIComponent(code)}`;

function writeFigures(
  { capacity, details: { closedUntil } }: SnapshotArea,
  view: PublicView,
  setting: AreaSetting,
): Html {
  const { texts, lateSince, time } = setting;
  if (view.status === 'closed' && closedUntil !== null) {
    return html`<p class="none">${texts.closedUntil(time(closedUntil))}</p>`;
  }
  if (view.figures === null || capacity === null) {
    return html`<p class="none">${texts.notKnown}</p>`;
  }
  const { format } = new Intl.NumberFormat(texts.locale);
  const { availableNow, availableAfter30, availableAfter60 } = view.figures;
  const row = (when: string, free: number, words: string): Html =>
    html`<dt>${when}</dt><dd><svg class="bar" aria-hidden="true"><rect width="100%" height="100%" rx="4"/><rect class="level" width="${percent(free, capacity)}%" height="100%" rx="4"/></svg> ${words}</dd>`;
  return html`<dl class="figures">
${row(lateSince === null ? texts.now : texts.last, availableNow, texts.free(format(availableNow), format(capacity)))}
${row(texts.inMinutes('30'), availableAfter30, format(availableAfter30))}
${row(texts.inMinutes('60'), availableAfter60, format(availableAfter60))}
</dl>`;
}

const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.min(100, Math.round((part / whole) * 1_000) / 10);

/** When payment is due, and until when it is, or is not. Where it always is, the price alone is enough. */
function hoursOf(
  { paidHours, paymentDue, paymentDueChangesAt }: AreaDetails,
  { texts, when }: AreaSetting,
): Html | string | null {
  if (paidHours === null) return null;
  const lines = hoursText(paidHours, texts);
  if (lines.length === 0) return texts.unpaid;
  const until = paymentDueChangesAt && when(paymentDueChangesAt);
  const now = until && (paymentDue ? texts.paidUntil(until) : texts.unpaidUntil(until));
  return html`${lines.map((line) => html`<span class="hours">${line}</span> `)}${now === null ? null : html`<small>${now}</small>`}`;
}

function writeDetails({ details }: SnapshotArea, setting: AreaSetting): Html | null {
  const { texts } = setting;
  const { address, website, priceNote, maxHeightCm, disabledSpaces, chargingSpaces } = details;
  const number = new Intl.NumberFormat(texts.locale);
  const metres = new Intl.NumberFormat(texts.locale, { style: 'unit', unit: 'meter' });
  const rows: [string, Html | string | null][] = [
    [texts.address, address === null ? null : nameOf(address)],
    [texts.hours, hoursOf(details, setting)],
    [texts.price, priceNote === null ? null : nameOf(priceNote)],
    [texts.height, maxHeightCm === null ? null : metres.format(maxHeightCm / 100)],
    [texts.disabled, disabledSpaces === null ? null : number.format(disabledSpaces)],
    [texts.charging, chargingSpaces === null ? null : number.format(chargingSpaces)],
    [
      texts.website,
      website === null ? null : html`<a href="${website}" rel="noopener nofollow">${hostOf(website)}</a>`,
    ],
  ];
  const known = rows.filter(([, value]) => value !== null);
  return known.length === 0
    ? null
    : html`<dl class="details">${known.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`;
}

const hostOf = (website: string): string => (URL.canParse(website) ? new URL(website).host : website);
