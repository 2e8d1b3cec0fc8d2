// Sorts the areas of a city by their distance from the reader. The place stays in the browser.

export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

/** Of a degree of latitude. */
const DEGREE_KM = 111.2;

/** Puts the nearest area first, and says how far each one is. Areas without coordinates come last, in the order they had. */
export function sortByDistance(list: Element, here: Place): void {
  const distance = new Intl.NumberFormat(document.documentElement.lang, {
    ...({ style: 'unit', unit: 'kilometer', maximumSignificantDigits: 2 } as const),
  });
  const areas = [...list.querySelectorAll<HTMLElement>(':scope > li')].map((item) => ({
    item,
    km: distanceOf(item, here),
  }));
  for (const { item, km } of areas.sort((a, b) => a.km - b.km || 0)) {
    list.append(item);
    if (Number.isFinite(km)) {
      const words = document.createElement('small');
      words.textContent = ` ${distance.format(km)}`;
      item.querySelector('h2')?.append(words);
    }
  }
}

/** In kilometres, as the crow flies: exact enough within a city. */
function distanceOf({ dataset: { lat, lon } }: HTMLElement, { latitude, longitude }: Place): number {
  if (lat === undefined) return Number.POSITIVE_INFINITY;
  const across = (Number(lon) - longitude) * Math.cos((latitude * Math.PI) / 180);
  return Math.hypot(Number(lat) - latitude, across) * DEGREE_KM;
}
