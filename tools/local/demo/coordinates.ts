/**
 * The coordinates of the areas that are named after a well-known station or square, to a thousandth of a degree (about
 * 100 m). The open data of `areas.csv` has no coordinates, so the other areas have none.
 */
const POINTS: Readonly<Record<string, readonly [latitude: number, longitude: number]>> = {
  'A944/AUTOSTAZIONE': [44.504, 11.346],
  'A944/VIII-AGOSTO': [44.501, 11.346],
  'L219/LINGOTTO': [45.032, 7.665],
  'L219/PORTA-NUOVA-FS': [45.062, 7.678],
  'L219/PORTA-PALAZZO': [45.076, 7.684],
  'L219/PORTA-SUSA-FS': [45.072, 7.666],
  'L219/ROMA-S-CARLO-CASTELLO': [45.068, 7.683],
  'L219/VITTORIO': [45.065, 7.695],
  'L378/DUOMO-P5': [46.067, 11.121],
  'L378/PIAZZA-FIERA-P4': [46.066, 11.124],
};

/** The coordinates of an area for the configuration; empty if they are unknown. */
export function coordinatesOf(municipalityCode: string, areaCode: string) {
  const point = POINTS[`${municipalityCode}/${areaCode}`];
  return point === undefined ? {} : { latitude: point[0], longitude: point[1] };
}
