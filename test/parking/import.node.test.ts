import { describe, expect, it } from 'vitest';
import { asAdministrator, asOperator, desk, openOffice } from './opened-office.ts';
import { csv, importing, MAP, sumOf } from './session-table.ts';

openOffice();

describe('A table of sessions', () => {
  it('is imported by the municipality’s own time zone, which the service tells', async () => {
    const file = desk.write('soste.csv', csv({ name: 'zone', count: 3 }));
    const done = await asOperator(importing(file, '--json'));
    expect(done.code).toBe(0);
    expect(sumOf(done)).toMatchObject({ received: 3, created: 3, updated: 0, unchanged: 0, rejected: 0 });
    const exported = await asAdministrator(['plate', 'export', 'M1', '--tenant', 'acme']);
    expect(JSON.parse(exported.out).sessions).toMatchObject([
      { session_id: 'zone-1', starts_at: '2026-03-07T10:01:00+01:00' },
    ]);
  });

  it('does no harm when it is imported again, and says so', async () => {
    const file = desk.write('again.csv', csv({ name: 'again', count: 50 }));
    const args = importing(file);
    expect((await asOperator(args)).out).toMatch(/^created +50$/m);
    const again = await asOperator(args);
    expect(again.code).toBe(0);
    expect(again.out).toMatch(/^created +0$/m);
    expect(again.out).toMatch(/^unchanged +50$/m);
  });

  it('leaves out what was passed over', async () => {
    const file = desk.write('from.csv', csv({ name: 'from', count: 10 }));
    const done = await asOperator(importing(file, '--from-line', '8', '--json'));
    expect(sumOf(done)).toMatchObject({ received: 4, created: 4 });
  });
});

describe('A table of subscriptions with a row for each plate', () => {
  const TABLE =
    'subscription_number,plates,type,approval,areas\nD-1,DA1,RES,approved,all\nD-2,DB1,RES,approved,all\nD-1,DA2,RES,approved,all\n';
  const ALREADY = 'subscription_number: D-1 is in line 2 already';

  it('loses no plate unsaid: what would replace an earlier row is rejected, with both lines', async () => {
    const file = desk.write('plates.csv', TABLE);
    const done = await asOperator(['import', 'subscriptions', file]);
    expect(done.code).toBe(1);
    expect(done.out).toMatch(/^created +2$/m);
    expect(done.err).toContain(`${file}:4: ${ALREADY}`);
    const exported = await asAdministrator(['plate', 'export', 'DA1', '--tenant', 'acme']);
    expect(JSON.parse(exported.out).subscriptions).toMatchObject([{ subscription_number: 'D-1' }]);
  });

  it('is judged so by a dry run, and from a later line on', async () => {
    const file = desk.write('plates.csv', TABLE);
    const args = ['import', 'subscriptions', file, '--timezone', 'Europe/Rome'];
    const dry = await desk.run([...args, '--dry-run']);
    expect([dry.code, dry.err]).toEqual([1, expect.stringContaining(`${file}:4: ${ALREADY}`)]);
    const rest = await asOperator([...args, '--from-line', '4']);
    expect([rest.code, rest.err]).toEqual([1, expect.stringContaining(`${file}:4: ${ALREADY}`)]);
  });
});

describe('A dry run', () => {
  it('finds what the import would find, and sends nothing', async () => {
    const file = desk.write('dry.csv', csv({ name: 'dry', count: 20, lost: 5 }).replace('M7;', 'ß;'));
    const args = importing(file, '--json');
    const dry = await asAdministrator([...args, '--dry-run', '--municipality', 'H501']);
    expect(sumOf(dry)).toMatchObject({ dry_run: true, received: 20, good: 15, rejected: 5 });
    const real = await asOperator(args);
    expect(sumOf(real)).toMatchObject({ created: 15, unchanged: 0, rejected: 5 });
  });

  it('needs no service', async () => {
    const file = desk.write('alone.csv', csv({ name: 'alone', count: 5 }));
    const { code, out } = await desk.run([
      'import',
      'sessions',
      file,
      '--map',
      MAP,
      '--timezone',
      'Europe/Rome',
      '--dry-run',
      '--json',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ received: 5, good: 5, rejected: 0 });
  });
});
