import { sendLines, succeed } from '../../serving/answer.ts';
import type { App } from '../../serving/call.ts';
import { IMPORT_BODY, readBody } from '../../serving/http/body.ts';
import { serve } from '../../serving/serve.ts';
import { readBackupPart } from './back-up.ts';
import { backUp, discard, restore } from './contract.ts';
import { discardRestore, restorePart } from './restore.ts';
import { readSentPart } from './sent-part.ts';

/** Mounts backup and restore of a municipality. */
export function backupRoutes(app: App): void {
  serve(app, backUp, async (c) => {
    await c.get('bounds');
    const { code } = c.req.valid('param');
    const part = await readBackupPart(c.env, c.get('now'), code, c.req.valid('query').after);
    c.get('log').municipalityCode = code;
    return sendLines(c, part);
  });

  serve(app, restore, async (c) => {
    await c.get('bounds');
    const { code } = c.req.valid('param');
    const part = readSentPart(await readBody(c, IMPORT_BODY));
    const answer = await restorePart(c, code, c.req.valid('query').tenant, part);
    c.get('log').municipalityCode = code;
    return succeed(c, answer);
  });

  serve(app, discard, async (c) => {
    await c.get('bounds');
    const { code } = c.req.valid('param');
    const answer = await discardRestore(c.env, code);
    c.get('log').municipalityCode = code;
    return succeed(c, answer);
  });
}
