import { withSteeringShown } from '../../base/text/steering.ts';
import type { Coordinates } from '../../core/snapshots/snapshot.ts';
import { anchorOf, type ShownArea } from './area-view.ts';
import { type Html, html } from './html.ts';
import type { Texts } from './texts-en.ts';

/** The size of the drawing, and the margin around the marks. */
const WIDTH = 360;
const MAX_HEIGHT = 300;
const MARGIN = 16;
/** A mark has room for a number of three digits. */
const RADIUS = 11;
/** Up to this many areas there is room for their names. */
const NAMED = 15;

interface Placed extends ShownArea {
  readonly at: Coordinates;
}

/**
 * A schematic map: how the areas of the page lie to each other, each a mark with its number and a link to it. It is hidden
 * from screen readers, since the list says the same.
 *
 * @returns null where fewer than two have coordinates
 */
export function cityMap(areas: readonly ShownArea[], texts: Texts): Html | null {
  const placed: Placed[] = areas.flatMap((shown) =>
    shown.area.coordinates === null ? [] : [{ ...shown, at: shown.area.coordinates }],
  );
  if (placed.length < 2) return null;
  const { height, project } = makeProjection(placed.map(({ at }) => at));
  const marks = placed.map(({ area, view, number, at }) => {
    const { x, y } = project(at);
    return html`<a href="#${anchorOf(area)}" tabindex="-1"><title>${area.name}</title><g class="mark ${view.status}" transform="translate(${x} ${y})"><circle r="${RADIUS}"/><text y="4">${number}</text>${placed.length > NAMED ? null : writeLabel(area.name, x)}</g></a>
`;
  });
  return html`<section class="map" aria-labelledby="map">
<h2 id="map">${texts.map}</h2>
<svg viewBox="0 0 ${WIDTH} ${height}" aria-hidden="true">${marks}</svg>
<p class="note">${texts.mapNote}</p>
</section>`;
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
    project: ({ latitude, longitude }: Coordinates) => ({
      x: Math.round(left + (longitude - west) * shrunk * perDegree),
      y: Math.round(MARGIN + (north - latitude) * perDegree),
    }),
  };
}
