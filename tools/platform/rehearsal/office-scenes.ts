import { equal, match } from 'node:assert/strict';
import { deploy, fails, type Scene, SECOND_DATABASE, succeeds } from './scene.ts';
import { WORKER } from './stage.ts';

const ADMIN = '/api/v2/admin';
const NEW_CITY = `tenants: [{ code: acme, name: Acme Parking }]
municipalities:
  - { code: F205, name: Milano, timezone: Europe/Rome, tenant: acme,
      areas: [{ code: S1, name: Via Roma, area_type: street }],
      sources: [{ code: app1, name: App One, category: app }] }
`;

/** The operator's work besides releases, with the commands of the operator's pages. */
export const OFFICE: readonly Scene[] = [
  {
    name: 'another city, by the office’s command',
    play: async (stage, { adminToken }) => {
      succeeds(await stage.parking(adminToken, 'config', 'put', stage.file('city.yaml', NEW_CITY), '--yes'));
      const barrier = ['--tenant', 'acme', '--name', 'Barrier', '--municipality', 'F205'];
      const rights = ['--scope', 'plate_check,entitlement_list', '--out', stage.file('barrier.json')];
      succeeds(await stage.parking(adminToken, 'credential', 'issue', ...barrier, ...rights));
      const { access_token } = await stage.call(adminToken, 'POST', `${ADMIN}/credentials`, {
        ...{ tenant: 'acme', name: 'F205', municipalities: ['F205'], scopes: ['plate_check', 'import'] },
      });
      const token = String(access_token);
      const session = { session_id: 'A-1', plate: 'AB123CD', area_code: 'S1' };
      const starts_at = new Date(Date.now() - 60_000).toISOString();
      const file = stage.file('sessions.ndjson', JSON.stringify({ ...session, starts_at }));
      succeeds(await stage.parking(token, 'import', 'sessions', file, '--source', 'app1'));
      const said = await stage.parking(token, 'check', 'AB123CD');
      succeeds(said);
      match(said.text, /entitled +yes/);
    },
  },
  {
    name: 'what an operator asks and fixes',
    play: async (stage, { adminToken }) => {
      const call = (method: string, path: string, body?: object) =>
        stage.call(adminToken, method, ADMIN + path, body);
      const { databases } = await call('GET', '/status');
      match(JSON.stringify(databases), /"DB_2"/);
      const { tenants, municipalities } = await call('GET', '/configuration?municipality_code=F205');
      await call('PUT', '/configuration', { tenants, municipalities });
      for (let done: unknown = false; done !== true; )
        ({ done } = await call('POST', '/credentials/reconcile'));
      const { credentials } = await call('GET', '/credentials?limit=200');
      const of = (credentials as { readonly credential_id: string; readonly name: string }[]).find(
        ({ name }) => name === 'F205',
      );
      await call('PATCH', `/credentials/${of?.credential_id}`, {});
      await call('POST', `/credentials/${of?.credential_id}/revoke`, {});
      await call('POST', '/municipalities/F205/move', { to: 'DB_2' });
      // So small a move may be done before it can be called off.
      await call('DELETE', '/municipalities/F205/move').catch((error: unknown) =>
        match(String(error), /answered 404/),
      );
      for (const [name, value] of [
        ['ALERT_URL', 'http://localhost:9/'],
        ['ALERT_SECRET', `whsec_${btoa('of a receiver that is away')}`],
      ] as const) {
        succeeds(await stage.wranglerReading(value, 'secret', 'put', name, '--name', WORKER));
      }
    },
  },
  {
    name: 'a database that is lost, and a backup',
    failures: 'calls of the city that is lost, until it is restored',
    play: async (stage, { adminToken, databases }, stream) => {
      // Files since a backup have to be imported again: here there are none.
      await stream.rest('L219');
      const file = stage.file('l219.ndjson.gz');
      succeeds(await stage.parking(adminToken, 'backup', 'L219', '--out', file));
      const restore = (...more: string[]) => stage.parking(adminToken, 'restore', file, '--yes', ...more);
      fails(await restore(), /MUNICIPALITY_READABLE/);
      await stage.platform.runtime.setAway(databases.DB_2, true);
      stage.edit('wrangler.toml', SECOND_DATABASE, '');
      stage.commit('Take out the database that is lost');
      succeeds(await deploy(stage));
      const said = await restore('--to', 'DB');
      succeeds(said);
      match(said.text, /L219 is restored/);
      stream.wake();
      const { databases: left } = await stage.call(adminToken, 'GET', `${ADMIN}/status`);
      equal(JSON.stringify(left).includes('DB_2'), false);
      // For the count of its histories; no version that serves binds it.
      await stage.platform.runtime.setAway(databases.DB_2, false);
    },
  },
];
