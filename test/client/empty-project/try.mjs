// What a developer's first script might do, with the installed package alone. Prints what came of it, as JSON.
import { createClient } from 'parking-client';
import { createGate } from 'parking-client/gate';
import { fileStore } from 'parking-client/gate/node';

const [baseUrl, administratorToken] = process.argv.slice(2);
const now = Date.now();
const iso = (ms) => new Date(ms).toISOString();

const office = createClient({ baseUrl, administratorToken });
const configured = await office.putConfiguration({
  tenants: [{ code: 'acme', name: 'Acme' }],
  municipalities: [
    {
      ...{ code: 'H501', name: 'Roma', timezone: 'Europe/Rome', tenant: 'acme' },
      areas: [{ code: 'P1', name: 'Centro', area_type: 'facility', capacity: 10 }],
      sources: [{ code: 'app', name: 'App', category: 'app' }],
    },
  ],
});
const issued = await office.issueCredential({
  ...{ tenant: 'acme', name: `Node ${process.version}`, municipalities: ['H501'] },
  scopes: ['plate_check', 'subscription_options', 'report', 'import'],
});
const token = issued.ok ? issued.answer.access_token : 'none';

const parking = createClient({ baseUrl, token });
async function* lines() {
  yield {
    session_id: 'S1',
    plate: 'AB123CD',
    area_code: 'P1',
    starts_at: iso(now),
    ends_at: iso(now + 3_600_000),
  };
  yield '{"session_id":"S2"}';
}
const imported = await parking.importSessions({ lines: lines() }, { source_code: 'app' });
const subscriptions = await parking.importSubscriptions({ bytes: new Blob([]) });
const question = { plate: 'ab-123-cd', area_code: 'P1', event: 'entry' };
const checked = await parking.checkPlate(question);
const v1 = await parking.checkPlateV1({ plate: 'AB123CD' });
const options = await parking.findSubscriptionOptions({ plate: 'AB123CD' });
const report = await parking.reportActiveByArea({ area_type: 'facility' });
// The call log is written within seconds.
let call;
do call = await office.getCall({ request_id: checked.requestId });
while (!call.ok && Date.now() < now + 20_000);
const wrong = await parking.checkPlate({ ...question, area_code: 'P9' });
const nobody = await createClient({ baseUrl: 'http://127.0.0.1:9', token }).checkPlate(question, {
  budgetMs: 300,
});

const gate = createGate({
  ...{ baseUrl, token, areaCode: 'P1', whenUnknown: 'ask_attendant', askWithinMs: 10_000 },
  ...{ store: fileStore('list/of-the-gate'), inBackground: false },
});
const opened = await gate.decide('AB 123 CD', 'entry');
const shut = await gate.decide('ZZ 999 ZZ', 'entry');
await gate.close();

const pages = [];
for await (const page of parking.entitlementListPages({ area_code: 'P1' })) pages.push(page.ok || page.code);

console.log(
  JSON.stringify({
    node: process.version,
    configured: configured.ok,
    imported: imported.ok && [
      imported.answer.received - imported.answer.rejected,
      imported.answer.errors[0].line,
    ],
    subscriptions: subscriptions.ok && subscriptions.answer.received,
    checked: checked.ok && [checked.answer.plate, checked.answer.access_granted],
    v1: v1.ok && v1.answer.has_valid_parking,
    options: options.ok && options.answer.result_code,
    report: report.ok && report.answer.rows.length,
    call: call.ok || call.code,
    wrong: [wrong.failure, wrong.code],
    nobody: [nobody.failure, 'answer' in nobody],
    gate: [opened.action, opened.basis, shut.action, shut.basis],
    pages,
  }),
);
