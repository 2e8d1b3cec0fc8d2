import { instant } from '../../domain/instant.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import type { WholeMunicipality } from '../../storage/configuration/kinds.ts';
import type { AnsweredMunicipality } from './contract.ts';

export type WholeArea = WholeMunicipality['areas'][number];

/** A municipality as it is answered, with instants by its clocks. */
export const answeredOf = (municipality: WholeMunicipality): AnsweredMunicipality => ({
  ...municipality,
  areas: municipality.areas.map((area) => answeredArea(area, municipality.timezone)),
});

/** An area as it is answered. A street keeps the settings that it had as a facility, and does not show them. */
export const answeredArea = ({ facility, ...area }: WholeArea, timeZone: string) => ({
  ...area,
  closed_until: area.closed_until && formatInstant(instant(Date.parse(area.closed_until)), timeZone),
  ...(area.area_type === 'facility' && { facility }),
});
