import { withSteeringShown } from '../../base/text/steering.ts';
import type { Coordinates } from '../../core/snapshots/snapshot.ts';
import type { AreaStatus } from '../../domain/public-status.ts';
import { anchorOf, type ShownArea, type ViewedArea } from './area-view.ts';
import { type Html, html } from './html.ts';
import type { Texts } from './texts-en.ts';

const WIDTH = 360;
const MAX_HEIGHT = 240;
const MARGIN = 16;
/** A mark fits a number of three digits. */
const RADIUS = 11;
/** Up to this many areas, their names fit, too. */
const NAMED = 15;

type Placed<Area> = Area & { readonly at: Coordinates };

const placed = <Area extends ViewedArea>(areas: readonly Area[]): Placed<Area>[] =>
  areas.flatMap((viewed) =>
    viewed.area.coordinates === null ? [] : [{ ...viewed, at: viewed.area.coordinates }],
  );

/**
 * A schematic map of the areas that have coordinates. An area on this page of the list is a mark with its number and a link to
 * it; the others are dots. Hidden from screen readers, since the list says the same.
 *
 * @param others the areas on other pages of the list
 * @returns null if fewer than two areas have coordinates
 */
export function cityMap(
  areas: readonly ShownArea[],
  others: readonly ViewedArea[],
  texts: Texts,
): Html | null {
  const [marked, dotted] = [placed(areas), placed(others)];
  const points = [...marked, ...dotted].map(({ at }) => at);
  if (points.length < 2) return null;
  const { height, project } = makeProjection(points);
  const marks = marked.map(({ area, view, number, at }) => {
    const { x, y } = project(at);
    return html`<a href="#${anchorOf(area)}" tabindex="-1"><title>${withSteeringShown(area.name)}</title><g class="mark ${view.status}" transform="translate(${x} ${y})"><circle r="${RADIUS}"/><text y="4">${number}</text>${points.length > NAMED ? null : writeLabel(area.name, x)}</g></a>
`;
  });
  return html`<figure class="map">
<svg viewBox="0 0 ${WIDTH} ${height}" aria-hidden="true">${writeDots(dotted, project)}${marks}</svg>
<figcaption class="note">${texts.mapNote}</figcaption>
</figure>`;
}

/** Draws the dots of each status as one path: a city may have thousands. */
function writeDots(dotted: readonly Placed<ViewedArea>[], project: (at: Coordinates) => Point): Html[] {
  const dotsOf = new Map<AreaStatus, Set<string>>();
  for (const { view, at } of dotted) {
    const { x, y } = project(at);
    dotsOf.getOrInsertComputed(view.status, () => new Set()).add(`M${x} ${y}h0`);
  }
  return [...dotsOf].map(([status, dots]) => html`<path class="dot ${status}" d="${[...dots].join('')}"/>`);
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Writes a name next to its mark, on the side of the middle. */
const writeLabel = (name: string, x: number): Html =>
  x > WIDTH / 2
    ? html`<text class="left" x="-16" y="4">${withSteeringShown(name)}</text>`
    : html`<text class="right" x="16" y="4">${withSteeringShown(name)}</text>`;

/** Projects degrees to the drawing. A degree of longitude is shorter further from the equator. */
function makeProjection(points: readonly Coordinates[]) {
  const latitudes = points.map(({ latitude }) => latitude);
  const longitudes = points.map(({ longitude }) => longitude);
  const [south, north] = [Math.min(...latitudes), Math.max(...latitudes)];
  const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)];
  const shrunk = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const [across, up] = [(east - west) * shrunk, north - south];
  const room = WIDTH - 2 * MARGIN;
  const scale = Math.min(
    room / (across || Number.MIN_VALUE),
    (MAX_HEIGHT - 2 * MARGIN) / (up || Number.MIN_VALUE),
  );
  // All areas at one point: in the middle of the drawing.
  const perDegree = Number.isFinite(scale) ? scale : 0;
  const left = (WIDTH - across * perDegree) / 2;
  const height = Math.round(up * perDegree + 2 * MARGIN);
  return {
    height,
    project: ({ latitude, longitude }: Coordinates): Point => ({
      x: Math.round(left + (longitude - west) * shrunk * perDegree),
      y: Math.round(MARGIN + (north - latitude) * perDegree),
    }),
  };
}
