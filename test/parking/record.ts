// Writes down a working day with the command: docs/parking-session.md.
import { writeFileSync } from 'node:fs';
import { recordSession } from './session.ts';

writeFileSync(new URL('../../docs/parking-session.md', import.meta.url), await recordSession());
