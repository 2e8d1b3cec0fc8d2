import type { StartedService } from './started-service.ts';

/** Cities of which one source, and of which all, have never sent anything. */
export const LATE = 'LATE';
export const SILENT = 'SILENT';
const METERS = { code: 'meters', name: 'Meters', category: 'meter', is_system: true };
const APP = { code: 'app', name: 'App', category: 'app' };

/** Cities that are public, one of them large, and one that is not. */
export async function publishCities(service: StartedService): Promise<void> {
  const city = (code: string, name: string, isPublic: boolean) => ({
    ...{ code, name, timezone: 'Europe/Rome', tenant: 'acme', services: { public_occupancy: isPublic } },
    areas: [
      {
        ...{ code: 'P1', name: 'Parcheggio Centro', area_type: 'facility', capacity: 300 },
        ...{ latitude: 45.07, longitude: 7.68, address: 'Piazza Centrale 1', max_height_cm: 210 },
        ...{ price_note: '2 € l’ora', website: 'https://parcheggi.example/centro', charging_spaces: 4 },
      },
      {
        ...{ code: 'S1', name: 'Via Roma', area_type: 'street', capacity: 40 },
        ...{ latitude: 45.066, longitude: 7.684 },
      },
      { code: 'S2', name: 'x'.repeat(120), area_type: 'street' },
    ],
  });
  await service.administer('PUT', '/api/v2/admin/configuration', {
    tenants: [{ code: 'acme', name: 'Acme Parking' }],
    municipalities: [
      city('A944', 'Bologna', true),
      city('H501', 'Roma', false),
      city('L219', 'Torino', true),
      { ...city(LATE, 'Late payments', true), sources: [METERS, APP] },
      { ...city(SILENT, 'No payments', true), sources: [APP] },
      {
        ...city('F205', 'Milano', true),
        areas: Array.from({ length: 60 }, (_, index) => ({
          ...{ code: `G${index}`, name: `Garage ${index}`, area_type: 'facility', capacity: 50 + index },
          ...{ latitude: 45.4 + index / 997, longitude: 9.1 + index / 1_003, address: `Via ${index}` },
        })),
      },
    ],
  });
}
