import { backUp, discard, restore, sentLine } from '../../../../src/upkeep/backup/contract.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';
import { TENANT } from '../samples.ts';

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe('Administration', backUp, {
    summary: 'Back up a municipality, part by part',
    words:
      'Returns the next part of a municipality’s backup, newline-delimited JSON of at most 8 MiB: its configuration, sessions and subscriptions, with their past, but without calls. While `more` is true, send the part’s `after` for the next one. Every part can be fetched again. Imports continue meanwhile; together, the parts are the municipality as of the start of the backup. The last part has all erasures, later ones too. If an erasure has replaced keys meanwhile, it may be a 410 `CURSOR_GONE`: begin again. The parts contain plates in clear: protect them like the database.',
    parameters: { code: 'L219' },
  }),
  describe('Administration', restore, {
    summary: 'Restore a municipality from a backup, part by part',
    words:
      'Takes the parts of a backup in order, each as it was answered. Sending a part again changes nothing; any part but the next is a 409 `RESTORE_CONFLICT`. The municipality cannot be read until the last part is restored: repeat that part until `state` is `done`. First, plates that were erased since the start of the backup are erased from it. A municipality that can be read already, an unknown tenant, another municipality’s backup, and a `DIGEST_KEY` that lacks a key of the backup’s deployment are a 422.',
    parameters: { code: 'L219', tenant: TENANT },
    schema: sentLine,
    answer: { state: 'restoring', restored: 7_214 },
  }),
  describe('Administration', discard, {
    summary: 'Discard a restore',
    words:
      'Deletes the rows of an unfinished restore. Each call does a part: repeat it until `state` is `done`. If no restore is under way: 404.',
    parameters: { code: 'L219' },
    answer: { state: 'done' },
  }),
];
