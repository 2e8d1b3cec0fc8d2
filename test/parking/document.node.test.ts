import { describe, expect, it } from 'vitest';
import { compare, type Difference } from '../../clients/parking/documents/diff.ts';
import { differenceLines } from '../../clients/parking/documents/diff-text.ts';
import { DocumentFile } from '../../clients/parking/documents/document.ts';
import { publicDetails } from '../../src/office/configuration/contract.ts';

/** Of an area to the public. */
const NOTHING_SAID = Object.fromEntries(Object.keys(publicDetails).map((property) => [property, null]));

/** What the service answers of a municipality, as far as the cases need it. */
const ROME = {
  tenants: [{ code: 'acme', name: 'Acme', active: true }],
  municipalities: [
    {
      ...{ code: 'H501', name: 'Roma', timezone: 'Europe/Rome', country: 'IT', tenant: 'acme', active: true },
      services: {
        ...{ plate_check: true, subscriptions: true, subscription_options: true, report: true },
        public_occupancy: false,
      },
      areas: [
        {
          ...{
            code: 'P1',
            name: 'Centro',
            area_type: 'facility',
            capacity: 300,
            latitude: null,
            longitude: null,
            ...NOTHING_SAID,
            active: true,
          },
          facility: {
            ...{ service_enabled: true, plate_control_enabled: true, subscription_access: false },
            ...{ entry_grace_minutes: 10, exit_grace_minutes: 15 },
          },
        },
        {
          code: 'S1',
          name: 'Via Roma',
          area_type: 'street',
          capacity: 40,
          latitude: null,
          longitude: null,
          ...NOTHING_SAID,
          active: true,
        },
      ],
      sources: [],
      subscription_types: [
        {
          code: 'RES',
          name: 'Residents',
          freely_sold: false,
          renewal_allowed: true,
          renewal_opens_days_before: 30,
          sold_within_authorization: false,
        },
      ],
      plans: [],
    },
  ],
};

function differenceOf(document: unknown, stored: readonly unknown[] = [ROME]): Difference {
  const comparison = compare(document, stored, 'en');
  if (!comparison.valid) throw new Error(JSON.stringify(comparison.issues));
  return comparison.difference;
}

const linesOf = (document: unknown, stored?: readonly unknown[]): string[] =>
  differenceLines(differenceOf(document, stored), 'en', (_, text) => text).map((line) => line.trim());

const inRome = (changed: object): object => ({ municipalities: [{ code: 'H501', ...changed }] });

describe('What a document would change', () => {
  it('is nothing where it says what is there', () => {
    expect(differenceOf(ROME)).toEqual({ items: [], unchanged: 5 });
    expect(linesOf(ROME)).toEqual(['0 created, 0 updated, 5 unchanged']);
  });

  it('is nothing where it leaves everything out', () => {
    expect(linesOf({})).toEqual(['0 created, 0 updated, 0 unchanged']);
    expect(linesOf(inRome({}))).toEqual(['0 created, 0 updated, 1 unchanged']);
  });

  it.each([
    ['a value', { areas: [{ code: 'P1', capacity: 320 }] }, ['~ H501 area P1', 'capacity: 300 → 320']],
    [
      'a value of a value',
      { services: { public_occupancy: true } },
      ['~ municipality H501', 'services.public_occupancy: false → true'],
    ],
    [
      'a null, which resets',
      { areas: [{ code: 'P1', capacity: null }] },
      ['~ H501 area P1', 'capacity: 300 → null'],
    ],
    [
      'a setting of a facility',
      { areas: [{ code: 'P1', facility: { exit_grace_minutes: 20 } }] },
      ['~ H501 area P1', 'facility.exit_grace_minutes: 15 → 20'],
    ],
    [
      'what the public is shown of an area',
      { areas: [{ code: 'S1', address: 'Via Roma 1', closed_until: '2026-12-27T06:00+01:00' }] },
      ['~ H501 area S1', 'address: null → "Via Roma 1"', 'closed_until: null → "2026-12-27T06:00:00+01:00"'],
    ],
    [
      'how old the public’s figures may be',
      { public_max_age_minutes: 90 },
      ['~ municipality H501', 'public_max_age_minutes: 60 → 90'],
    ],
  ])('is shown with the old and the new value: %s', (_, changed, lines) => {
    expect(linesOf(inRome(changed)).slice(0, -1)).toEqual(lines);
  });

  it('is a whole new item, with what it gets by default', () => {
    expect(linesOf(inRome({ areas: [{ code: 'S2', name: 'Via Po', area_type: 'street' }] }))).toEqual([
      '+ H501 area S2  (new)',
      'name: "Via Po"',
      'area_type: "street"',
      'capacity: null  (by default)',
      'latitude: null  (by default)',
      'longitude: null  (by default)',
      ...Object.keys(NOTHING_SAID).map((property) => `${property}: null  (by default)`),
      'paid_hours: null  (by default)',
      'active: true  (by default)',
      '1 created, 0 updated, 1 unchanged',
    ]);
  });

  it('is a whole new municipality, of a tenant that only the service knows', () => {
    const document = {
      municipalities: [{ code: 'L219', name: 'Torino', timezone: 'Europe/Rome', tenant: 'other' }],
    };
    const lines = linesOf(document, []);
    expect(lines[0]).toBe('+ municipality L219  (new)');
    expect(lines).toContain('tenant: "other"');
    expect(lines).toContain('services.report: true  (by default)');
    expect(lines.at(-1)).toBe('1 created, 0 updated, 0 unchanged');
  });

  it('is left open for a tenant of which no municipality can be asked', () => {
    const lines = linesOf({ tenants: [{ code: 'new', name: 'New' }] }, []);
    expect(lines[0]).toBe(
      '? tenant new  (new, or already there: the service shows a tenant only together with its municipalities)',
    );
    expect(lines.at(-1)).toBe('0 created, 0 updated, 0 unchanged, 1 new or already there');
  });

  it('says of a street that becomes a facility that it may have been one before', () => {
    const lines = linesOf(
      inRome({ areas: [{ code: 'S1', area_type: 'facility', facility: { entry_grace_minutes: 5 } }] }),
    );
    expect(lines).toContain('area_type: "street" → "facility"');
    expect(lines).toContain('facility.entry_grace_minutes: – → 5');
    expect(lines).toContain(
      'facility.exit_grace_minutes: – → 0  (by default, or what it had when it was a facility before)',
    );
  });

  it('is in Italian, too', () => {
    const lines = differenceLines(differenceOf(inRome({ name: 'Roma Capitale' })), 'it', (_, text) => text);
    expect(lines).toEqual([
      '~ comune H501',
      '    name: "Roma" → "Roma Capitale"',
      '0 creati, 1 aggiornato, 0 invariati',
    ]);
  });
});

const WRONG_YAML = `tenants:
  - code: acme
    name: Acme
municipalities:
  - code: H501
    name: Roma
    timezone: Europe/Roma
    tenant: acme
    areas:
      - code: P1
        capacity: -3
        facility:
          entry_grace_minutes: 2000
      - { code: S1, name: Via Po, area_type: street, colour: red }
    plans:
      - codice_tariffa: 101
`;

describe('A document that is wrong', () => {
  it('is reported with the line and the column of every issue, what is missing where it is missing', () => {
    const file = new DocumentFile('roma.yaml', WRONG_YAML);
    const comparison = compare(file.value, [], 'en');
    if (comparison.valid) throw new Error('it is valid');
    expect(file.locate(comparison.issues)).toEqual([
      'roma.yaml:7:5: municipalities.0.timezone: must be the IANA name of a time zone, such as Europe/Rome',
      'roma.yaml:10:9: municipalities.0.areas.0.name: is required for a new item',
      'roma.yaml:10:9: municipalities.0.areas.0.area_type: is required for a new item',
      'roma.yaml:11:9: municipalities.0.areas.0.capacity: must be at least 0',
      'roma.yaml:13:11: municipalities.0.areas.0.facility.entry_grace_minutes: must be at most 1440',
      'roma.yaml:14:54: municipalities.0.areas.1.colour: is not a known property',
      'roma.yaml:16:9: municipalities.0.plans.0.codice_tariffa: must be a text',
    ]);
  });

  it('has the same lines in JSON, indented with tabs too', () => {
    const text = JSON.stringify({ municipalities: [{ code: 'H501', name: 7 }] }, null, '\t');
    const file = new DocumentFile('roma.json', text);
    expect(file.positionOf('municipalities.0.name')).toEqual({ line: 5, column: 4 });
    expect(file.positionOf('municipalities.0.tenant')).toEqual({ line: 3, column: 3 });
    expect(file.positionOf('')).toEqual({ line: 1, column: 1 });
  });

  it.each([
    ['a: [1', 'broken.yaml:1:'],
    ['a: 1\na: 2', 'broken.yaml:2:1: Map keys must be unique'],
    ['a: 1\n\tb: 2', 'broken.yaml:2:'],
  ])('and is not a document at all is reported with its line: %j', (text, line) => {
    expect(() => new DocumentFile('broken.yaml', text)).toThrow('broken.yaml cannot be read.');
    try {
      new DocumentFile('broken.yaml', text);
    } catch (error) {
      expect(Object(error).details.lines[0]).toContain(line);
    }
  });
});
