import { withSteeringShown } from '../../base/text/steering.ts';
import type { Coordinates } from '../../core/snapshots/snapshot.ts';
import type { AreaStatus } from '../../domain/public-status.ts';
import { anchorOf, type ShownArea, type ViewedArea } from './area-view.ts';
import { type Html, html } from './html.ts';
import type { Texts } from './texts-en.ts';

/** The size of the drawing, and the margin around the marks. */
const WIDTH = 360;
const MAX_HEIGHT = 240;
const MARGIN = 16;
/** A mark has room for a number of three digits. */
const RADIUS = 11;
/** Up to this many areas there is room for their names. */
const NAMED = 15;

type Placed<Area> = Area & { readonly at: Coordinates };

const placed = <Area extends ViewedArea>(areas: readonly Area[]): Placed<Area>[] =>
  areas.flatMap((viewed) =>
    viewed.area.coordinates === null ? [] : [{ ...viewed, at: viewed.area.coordinates }],
  );

/**
 * A schematic map: how all areas that have coordinates lie to each other. One that is listed on this page is a mark with its
 * number and a link to it; any other is a dot. It is hidden from screen readers, since the list says the same.
 *
 * @param others the areas on other pages of the list
 * @returns null where fewer than two have coordinates
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

/** One line for the dots of each status: a city of thousands of areas has as many dots. */
function writeDots(dotted: readonly Placed<ViewedArea>[], project: (at: Coordinates) => Point): Html[] {
  const places = new Map<AreaStatus, Set<string>>();
  for (const { view, at } of dotted) {
    const { x, y } = project(at);
    places.getOrInsertComputed(view.status, () => new Set()).add(`M${x} ${y}h0`);
  }
  return [...places].map(([status, dots]) => html`<path class="dot ${status}" d="${[...dots].join('')}"/>`);
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A name next to its mark, towards the middle of the drawing. */
const writeLabel = (name: string, x: number): Html =>
  x > WIDTH / 2
    ? html`<text class="left" x="-16" y="4">${withSteeringShown(name)}</text>`
    : html`<text class="right" x="16" y="4">${withSteeringShown(name)}</text>`;

/** Degrees to places in the drawing: a degree of longitude is shorter the further from the equator. */
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
  // All in one place: in the middle of the drawing.
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
