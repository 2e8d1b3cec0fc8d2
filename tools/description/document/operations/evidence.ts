import { searchEvidence } from '../../../../src/office/evidence/contract.ts';
import { REQUESTS, RESPONSE } from '../examples/evidence.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';

const WORDS = `
For the clerk who judges an objection: what did the service know when the officer asked, and what does it know today?

\`as_known_then\` is, field for field, what a plate check made at the instant \`known_at\` with \`checked_at\` = \`at\` has
answered; \`as_known_now\` is what one made now answers. Where they differ, \`history\` says what came in between, and how
late. An import or a configuration that was being stored at that very instant may fall on either side.

Inactive areas are accepted, and no service has to be switched on: objections concern such areas too. Where a plate check would have
been refused, the verdict is \`{ "refused": "<code>" }\`.

\`checks\` are the plate checks of this plate around the instant. The service does not keep their plates, only keyed digests, which can
confirm a plate that you name, but list none. An empty list from before \`checks_since\` means nothing.
`.trim();

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe(searchEvidence, {
    section: 'Evidence',
    summary: 'Find what was known when',
    words: WORDS,
    body: { words: 'Which plate, when, and as known when.', examples: REQUESTS },
    answer: {
      words: 'What was known then, and what is known now.',
      example: RESPONSE,
    },
  }),
];
