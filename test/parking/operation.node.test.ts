import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { asAdministrator, asOperator, desk, openOffice, START_MS, service, token } from './opened-office.ts';

openOffice();

beforeAll(async () => {
  const now = Date.now();
  const session = (id: string, plate: string, area: string, from: number, until: number | null) =>
    JSON.stringify({
      ...{ session_id: id, plate, area_code: area, starts_at: new Date(now + from * 60_000).toISOString() },
      ends_at: until === null ? null : new Date(now + until * 60_000).toISOString(),
    });
  const lines = [session('A-1', 'AB123CD', 'S1', -30, 60), session('B-1', 'BB111BB', 'P1', 5, 60)];
  const imported = await asOperator(['import', 'sessions', '-', '--source', 'app1', '--json'], {
    input: lines.join('\n'),
  });
  expect(JSON.parse(imported.out)).toMatchObject({ created: 2, rejected: 0 });
  const title = {
    ...{ subscription_number: 'R-1', type: 'RES', approval: 'approved', areas: 'all' },
    ...{ plates: [{ plate: 'RR111RR' }], periods: [] },
  };
  await asOperator(['import', 'subscriptions', '-'], { input: JSON.stringify(title) });
  await service.cron();
}, START_MS);

describe('A plate check', () => {
  it('says who is entitled, with the sessions behind it', async () => {
    const { code, out, err } = await asOperator(['check', 'ab 123 cd', '--area', 'S1']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^plate +AB123CD$/m);
    expect(out).toMatch(/^place +Roma \(H501\), Via Roma \(S1\)$/m);
    expect(out).toMatch(/^entitled +yes$/m);
    expect(out).toMatch(/^A-1 +S1 .* valid$/m);
  });

  it('that ends in a no is an answer: its exit code is 0', async () => {
    const { code, out } = await asOperator(['check', 'ZZ999ZZ']);
    expect(code).toBe(0);
    expect(out).toMatch(/^entitled +no$/m);
  });

  it('decides for a gate', async () => {
    const { out } = await asOperator(['check', 'BB111BB', '--area', 'P1', '--event', 'entry']);
    expect(out).toMatch(/^gate +opens: .* \(VALID_PREPAID_FACILITY_SESSION\)$/m);
  });

  it('is the whole answer in JSON', async () => {
    const { out } = await asOperator(['check', 'AB123CD', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      api_version: '2.0',
      has_valid_entitlement: true,
      sessions_count: 1,
    });
  });

  it('takes times as the municipality’s clocks show them, and refuses the future', async () => {
    const { code, err } = await asOperator(['check', 'AB123CD', '--at', '01/01/2099 10:00']);
    expect(code).toBe(1);
    expect(err).toContain('CHECKED_AT_IN_FUTURE');
  });
});

describe('Subscription options', () => {
  it('are a table of plans with prices', async () => {
    const { code, out } = await asOperator(['options', 'RR111RR', '--terminal', 'M1']);
    expect(code).toBe(0);
    expect(out).toContain('(OPTIONS_AVAILABLE)');
    expect(out).toMatch(/^101 +RESIDENTI MENSILE +€25\.00 +\d\d:\d\d \d\d\/\d\d\/\d{4}$/m);
  });
});

describe('The report', () => {
  it('is a table with bars, what is to come, and what the sources say', async () => {
    const { code, out } = await asOperator(['report', '--type', 'street']);
    expect(code).toBe(0);
    expect(out).toMatch(/^Roma \(H501\), streets {2}\d\d\/\d\d\/\d{4} /);
    expect(out).toMatch(/^S1 +Via Roma +[█▏▎▍▌▋▊▉·]{16} +1\/40 +3 % +39 +39 +\d+$/m);
    expect(out).toContain('all sources report');
  });

  it('is one line of JSON for each look', async () => {
    const { out } = await asOperator(['report', '--json']);
    expect(out.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(out)).toMatchObject({ report: 'active_by_area', filters: { area_type: 'facility' } });
  });
});

describe('Evidence', () => {
  it('shows what was known then next to what is known now, and marks where they differ', async () => {
    const late = {
      session_id: 'L-1',
      plate: 'LL111LL',
      area_code: 'S1',
      starts_at: new Date(Date.now() - 3_600_000).toISOString(),
    };
    const asked = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await asOperator(['import', 'sessions', '-', '--source', 'app1'], { input: JSON.stringify(late) });

    const { code, out } = await asOperator(['evidence', 'LL111LL', '--at', asked, '--area', 'S1']);
    expect(code).toBe(0);
    expect(out).toMatch(/^≠ +has_valid_entitlement +false +true$/m);
    expect(out).toMatch(/^≠ +app1\/L-1 +– +valid, S1, .* → …$/m);
    expect(out).toContain('≠ Today’s facts lead to another answer.');
    const [before, after] = out.split(/├── .*\n/);
    expect(before).not.toContain('parking_session app1/L-1');
    expect(after).toMatch(/│ .* parking_session app1\/L-1 \(1:00:0\d late\): plate LL111LL, area_code S1/);
    expect(out).toMatch(/^app1 +App One +fresh/m);
  });

  it('fits a page of 100 columns where there is no screen, with times as people write them', async () => {
    const { out } = await asOperator(['evidence', 'LL111LL', '--at', new Date().toISOString()]);
    expect(out.split('\n').filter((line) => line.length > 100)).toEqual([]);
    expect(out).toMatch(/^at +\d\d\/\d\d\/\d{4} \d\d:\d\d/m);
    expect(out).not.toMatch(/\d{4}-\d\d-\d\dT/);
  });

  it('is written as a page for the case file, in the clerk’s language and never over another file', async () => {
    const report = desk.path('ricorso.html');
    const args = [
      'evidence',
      'LL111LL',
      '--at',
      new Date().toISOString(),
      '--area',
      'S1',
      '--report',
      report,
    ];
    const italian = { environment: { LANG: 'it_IT.UTF-8' } };
    expect(await asOperator(args, italian)).toMatchObject({
      code: 0,
      err: expect.stringContaining('La pagina è in'),
    });
    const page = readFileSync(report, 'utf8');
    expect(page).toContain('<html lang="it">');
    expect(page).toContain('@page { size: A4');
    expect(page).toContain('sosta app1/L-1');
    expect(page).not.toMatch(/\b(?:true|false|undefined|parking_session)\b|\d{4}-\d\d-\d\dT/);
    expect((await asOperator(args)).code).toBe(2);
  });

  it('names the officer of a patrol, in the terminal and on the page', async () => {
    const patrol = await fetch(`${service.address}/api/v2/patrol/checks`, {
      method: 'POST',
      headers: {
        ...{ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        'Officer-Reference': 'badge-0417',
      },
      body: JSON.stringify({ checks: [{ id: '1', plate: 'LO111LO', area_code: 'S1' }] }),
    });
    expect(patrol.status).toBe(200);
    const at = new Date().toISOString();
    const evidence = ['evidence', 'LO111LO', '--at', at, '--area', 'S1'];
    // A call is logged after its answer.
    await expect
      .poll(async () => (await asOperator(evidence)).out)
      .toMatch(/ {2}patrol, officer badge-0417 {2}/);
    const report = desk.path('officer.html');
    await asOperator([...evidence, '--report', report]);
    expect(readFileSync(report, 'utf8')).toContain('<td>patrol, officer badge-0417</td>');
  });

  it('says so where both agree', async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const { out } = await asOperator(['evidence', 'AB123CD', '--at', new Date().toISOString()]);
    expect(out).toContain('= Today’s facts lead to the same answer.');
    expect(out).not.toContain('≠');
  });
});

describe('A call', () => {
  it('is found by its request id by the administrator', async () => {
    const { out } = await asOperator(['options', 'RR111RR', '--json']);
    const { request_id: id }: { request_id: string } = JSON.parse(out);
    const { code, out: call } = await asAdministrator(['call', id]);
    expect(code).toBe(0);
    expect(call).toMatch(/^operation +subscription_options$/m);

    const italian = await asAdministrator(['call', id], { environment: { LANG: 'it_IT.UTF-8' } });
    expect(italian.out).toMatch(/^operazione +tariffe degli abbonamenti \(subscription_options\)$/m);
    expect(italian.out).toMatch(/^ricevuta +\d\d\/\d\d\/\d{4} /m);
    expect(italian.out).toContain('\nrichiesta\n  {\n    "plate": "RR111RR"');

    const unknown = await asAdministrator(['call', '00000000-0000-4000-8000-000000000000']);
    expect(unknown.code).toBe(1);
    expect(unknown.err).toContain('NOT_FOUND');
  });
});

describe('Somebody who reads Italian', () => {
  const ITALIAN = { environment: { LANG: 'it_IT.UTF-8' } };
  const at = () => new Date(Date.now() + 1_000).toISOString();

  it('reads every status in Italian; JSON has the service’s own', async () => {
    const check = await asOperator(['check', 'AB123CD', '--area', 'S1'], ITALIAN);
    expect(check.out).toMatch(/^A-1 +S1 .* valida$/m);
    expect((await asOperator(['check', 'RR111RR'], ITALIAN)).out).toMatch(
      /^R-1 +approvato +nessun periodo è stato pagato \(FIRST_ACTIVATION_REQUIRED\)$/m,
    );
    expect((await asOperator(['options', 'RR111RR'], ITALIAN)).out).toMatch(
      /^operazione +(prima attivazione|rinnovo|nessuna)$/m,
    );
    const evidence = await asOperator(['evidence', 'AB123CD', '--at', at(), '--area', 'S1'], ITALIAN);
    expect(evidence.out).toMatch(/A-1 +valida, S1, /);
    expect(evidence.out).toMatch(/^app1 .* aggiornata /m);
    expect(evidence.out).toMatch(/^ *titolo valido +sì +sì$/m);
    expect(evidence.out.replace(/\n│ {4,}/g, ' ')).toMatch(
      / sosta app1\/A-1.*: targa AB123CD, area S1, inizio /,
    );
    expect(evidence.out).not.toMatch(/\b(true|false|verify|session|[a-z]+_[a-z_]+)\b/);
    const title = await asOperator(['evidence', 'RR111RR', '--at', at()], ITALIAN);
    expect(title.out.replace(/\n│ {4,}/g, ' ')).toMatch(
      /: tipo RES, targhe RR111RR, approvazione approvata, .*aree tutte/,
    );
    const list = await asAdministrator(['credential', 'list'], ITALIAN);
    expect(list.out).toMatch(/^\S+ .* acme +attiva /m);
    const json = await asOperator(['check', 'AB123CD', '--area', 'S1', '--json'], ITALIAN);
    expect(JSON.parse(json.out).sessions).toMatchObject([{ status: 'valid' }]);
  });

  it('reads one of a thing as one of it, as others do in English', async () => {
    const exported = ['plate', 'export', 'BB111BB', '--tenant', 'acme', '--out', desk.path('bb.json')];
    expect((await asAdministrator(exported, ITALIAN)).err).toMatch(
      /: 1 sosta, 0 abbonamenti, 0 pagamenti, 1 modifica, /,
    );
    const again = exported.with(-1, desk.path('bb-2.json'));
    expect((await asAdministrator(again)).err).toMatch(
      /: 1 session, 0 subscriptions, 0 payments, 1 change, /,
    );
    const bad = ['import', 'sessions', '-', '--source', 'app1'];
    expect((await asOperator(bad, { input: '{}' })).err).toContain(
      '1 line was rejected. Correct it and import it again: the others are stored.',
    );
    expect((await asOperator(bad, { ...ITALIAN, input: '{}' })).err).toContain(
      '1 riga rifiutata. Correggerla e importarla di nuovo: le altre sono salvate.',
    );
    expect((await asOperator(bad, { ...ITALIAN, input: '{}\n[]' })).err).toContain(
      '2 righe rifiutate. Correggerle e importarle di nuovo',
    );
    const erased = await asAdministrator(['plate', 'erase', 'NN111NN', '--tenant', 'acme', '--yes'], ITALIAN);
    expect(erased.out).toBe(
      'soste        0\nabbonamenti  0\npagamenti    0\nmodifiche    0\nchiamate     0\n',
    );
  });
});
