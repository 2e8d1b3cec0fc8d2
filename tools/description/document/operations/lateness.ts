import { getLateness, type LatenessAnswer } from '../../../../src/office/lateness/operation.ts';
import { CITY, SOURCE } from '../examples/city.ts';
import { ENVELOPE } from '../examples/envelope.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';

const USUAL = {
  '15': 312,
  '30': 340,
  '60': 351,
  '120': 352,
  '300': 352,
  '600': 352,
  '900': 352,
  '1800': 352,
  '3600': 352,
  '10800': 352,
  '21600': 352,
  '43200': 352,
  '86400': 352,
};

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe(getLateness, {
    section: 'Administration',
    summary: 'Get how late sources usually report',
    words:
      'Each import measures how long after the fact its new sessions and later ends were reported. A patrol’s finding waits that long for a source.',
    parameters: { municipality_code: CITY.code },
    answer: {
      words: 'The sources.',
      examples: {
        quick: {
          summary: 'A source that reports within a minute',
          value: {
            ...ENVELOPE,
            sources: [
              {
                ...SOURCE,
                usual_delay_seconds: 60,
                days: [{ date: '2026-03-07', counted: 352, within_seconds: USUAL }],
              },
            ],
          } satisfies LatenessAnswer & typeof ENVELOPE,
        },
      },
    },
  }),
];
