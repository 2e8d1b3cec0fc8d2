// Writes down a working day with the command: docs/parking-session.md.
import { writeFileSync } from 'node:fs';
import { takeNoArguments } from '../../tools/command-line.ts';
import { recordSession } from './session.ts';

takeNoArguments('npx node test/parking/record.ts: writes docs/parking-session.md');

writeFileSync(new URL('../../docs/parking-session.md', import.meta.url), await recordSession());
