// A Worker that uses the installed package alone. Its answer says what came of it.
import { createGate } from './gate.js';
import { createClient } from './index.js';

export default {
  async fetch(_, { ADDRESS: baseUrl, ADMIN_TOKEN: administratorToken }) {
    const office = createClient({ baseUrl, administratorToken });
    const issued = await office.issueCredential({
      ...{ tenant: 'acme', name: 'Worker', scopes: ['plate_check'], municipalities: ['H501'] },
    });
    const token = issued.ok ? issued.answer.access_token : 'none';
    const parking = createClient({ baseUrl, token });
    const health = await parking.getHealth();
    const own = await parking.getOwnCredential();
    const checked = await parking.checkPlate({ plate: 'AB 123 CD', area_code: 'P1', event: 'entry' });
    const gate = createGate({
      ...{ baseUrl, token, areaCode: 'P1', whenUnknown: 'ask_attendant', askWithinMs: 10_000 },
      inBackground: false,
    });
    const { action, basis } = await gate.decide('AB 123 CD', 'entry');
    await gate.close();
    return Response.json({
      health: health.ok,
      credential: own.ok && own.answer.credential.name === 'Worker',
      checked: checked.ok && [checked.answer.plate, typeof checked.answer.access_reason_code],
      gate: [typeof action, basis],
    });
  },
};
