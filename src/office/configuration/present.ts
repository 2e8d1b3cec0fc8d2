import { instant } from '../../domain/instant.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import type { WholeMunicipality } from '../../storage/configuration/kinds.ts';
import type { AnsweredMunicipality } from './contract.ts';

/**
 * A municipality as it is answered, with instants by its clocks. A street keeps the settings that it had as a facility, and does not
 * show them.
 */
export const answeredOf = (municipality: WholeMunicipality): AnsweredMunicipality => ({
  ...municipality,
  areas: municipality.areas.map(({ facility, ...area }) => ({
    ...area,
    closed_until:
      area.closed_until && formatInstant(instant(Date.parse(area.closed_until)), municipality.timezone),
    ...(area.area_type === 'facility' && { facility }),
  })),
});
