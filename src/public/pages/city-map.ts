import { withSteeringShown } from '../../base/text/text.ts';
import type { Coordinates } from '../../core/snapshots/snapshot.ts';
import type { AreaStatus } from '../../domain/public-status.ts';
import { anchorOf, type ShownArea, type ViewedArea } from './area-view.ts';
import { type Html, html } from './layout.ts';
import type { Texts } from './texts.ts';

const WIDTH = 360;
const MAX_HEIGHT = 240;
const MARGIN = 16;
/** A mark fits a number of three digits. */
const RADIUS = 11;
/** Up to this many areas, their names fit, too. */
const NAMED = 15;
/** What a letter of a name takes, about, and its line. */
const LETTER = 6.5;
const LINE = 11;
/** From the middle of a mark to its name. */
const TO_NAME = 16;

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
  const drawn = marked.map((area) => ({ ...area, ...project(area.at) }));
  const sides = points.length > NAMED ? [] : sidesOfNames(drawn);
  const marks = drawn.map(({ area, view, number, x, y }, index) => {
    return html`<a href="#${anchorOf(area)}" tabindex="-1"><title>${withSteeringShown(area.name)}</title><g class="mark ${view.status}" transform="translate(${x} ${y})"><circle r="${RADIUS}"/><text y="4">${number}</text>${writeLabel(area.name, sides[index])}</g></a>
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

type Side = 'left' | 'right';

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/**
 * Chooses for each name the side of its mark: towards the middle, unless it would cover a mark or a name there and
 * would not on the other side.
 */
function sidesOfNames(drawn: readonly (ShownArea & Point)[]): Side[] {
  const taken = drawn.map(({ x, y }) => boxAround(y, RADIUS, x - RADIUS, x + RADIUS));
  return drawn.map(({ area, x, y }, index) => {
    const length = TO_NAME + LETTER * [...area.name].length;
    const boxOn = (side: Side): Box =>
      boxAround(
        y,
        LINE / 2,
        side === 'left' ? x - length : x + TO_NAME,
        side === 'left' ? x - TO_NAME : x + length,
      );
    const isFree = (side: Side): boolean => {
      const box = boxOn(side);
      return (
        box.left >= 0 && box.right <= WIDTH && !taken.some((other, at) => at !== index && overlap(box, other))
      );
    };
    const [first, second]: [Side, Side] = x > WIDTH / 2 ? ['left', 'right'] : ['right', 'left'];
    const side = !isFree(first) && isFree(second) ? second : first;
    taken.push(boxOn(side));
    return side;
  });
}

const boxAround = (y: number, reach: number, left: number, right: number): Box => ({
  ...{ left, right },
  ...{ top: y - reach, bottom: y + reach },
});

const overlap = (one: Box, other: Box): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/** Writes a name next to its mark; none in a city of many areas. */
const writeLabel = (name: string, side: Side | undefined): Html | null =>
  side === undefined
    ? null
    : html`<text class="${side}" x="${side === 'left' ? -TO_NAME : TO_NAME}" y="4">${withSteeringShown(name)}</text>`;

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
