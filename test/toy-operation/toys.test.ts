import { beforeAll, describe, expect, it } from 'vitest';
import { makeDocument } from '../../tools/description/document/openapi/document.ts';
import { expectRefusal } from '../conformance/envelope.ts';
import { rightAnswerOf } from '../suites/right-answers.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { CITY, seed } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';
import { countAreas, countLetters } from './operation.ts';
import { TOY_DOCUMENT, TOYS } from './suite.ts';

/** The path of {@link countAreas} in the description. */
const AREAS = '/api/v2/toys/areas/{area_code}';

const service = new Service({}, 0, TOYS);
let credential: TestCredential;

beforeAll(async () => {
  await seed(CITY);
  credential = await issueCredential();
});

describe('An operation that is added to a list', () => {
  it('is routed', async () => {
    const counted = await service.post(countAreas.path, {}, credential.headers);
    expect([counted.status, counted.body]).toMatchObject([
      200,
      { municipality_code: 'H501', areas_count: 2 },
    ]);
    const letters = await service.call(countLetters.path, {
      method: 'PUT',
      body: { name: 'Roma' },
      headers: ADMIN,
    });
    expect([letters.status, letters.body]).toMatchObject([200, { letters_count: 4 }]);
  });

  it('has its path alone: that of an operation of another list is not there', async () => {
    expectRefusal(await service.call('/health'), 404, 'NOT_FOUND');
    expectRefusal(await service.post('/api/v2/toys', {}, credential.headers), 404, 'NOT_FOUND');
  });

  it.each([
    [countAreas, 'POST'],
    [countLetters, 'PUT'],
  ])('refuses other methods with 405 and Allow', async ({ path }, allow) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
      (one) => one !== allow,
    )) {
      const answer = await service.call(path, { method });
      expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
      expect(answer.headers.get('Allow')).toBe(allow);
    }
  });

  it('is described with its words, its access, its errors and its headers', () => {
    expect(TOY_DOCUMENT.paths).toEqual({
      [AREAS]: { post: expect.anything() },
      [countLetters.path]: { put: expect.anything() },
    });
    expect(TOY_DOCUMENT.paths).toMatchObject({
      [AREAS]: {
        post: {
          operationId: 'countAreas',
          summary: 'Count areas',
          description: expect.stringContaining('Scope `report`'),
          security: [{ AccessToken: [] }, { ServiceToken: [] }, { ApiKey: [] }],
          requestBody: { content: { 'application/json': { schema: { $ref: expect.any(String) } } } },
        },
      },
      [countLetters.path]: { put: { security: [{ AdministratorToken: [] }] } },
    });
    const [areas, letters] = [AREAS, countLetters.path].map((path) => {
      const item = (TOY_DOCUMENT.paths as Record<string, Record<string, { responses: object }>>)[path];
      return Object.keys(Object.values(item ?? {})[0]?.responses ?? {});
    });
    expect(areas).toEqual(['200', '400', '401', '403', '405', '413', '415', '422', '429', '500']);
    expect(letters).toEqual(['200', '400', '401', '403', '404', '405', '413', '415', '422', '500']);
    expect(Object.keys(TOY_DOCUMENT.components.schemas).sort()).toEqual([
      'CountAreasRequest',
      'CountAreasResponse',
      'CountLettersRequest',
      'CountLettersResponse',
    ]);
  });

  it('is held to what is described: another property in its answer, another status, another path', async () => {
    const { headers, body } = await service.post(countAreas.path, {}, credential.headers);
    const received = { method: 'POST', path: countAreas.path, status: 200, headers };
    const problems = (changed: object) =>
      TOYS.contract.problemsOf({ ...received, text: JSON.stringify(body), ...changed });
    expect(problems({})).toEqual([]);
    expect(problems({ text: JSON.stringify({ ...body, holder: 'Mario Rossi' }) }).join()).toContain('holder');
    expect(problems({ status: 201 })).toEqual(['the status is not described']);
    expect(problems({ path: '/api/v2/toys' })).toEqual(['the path is not described']);
  });

  it('must have its words, and its right answer', () => {
    expect(() => makeDocument(TOYS.operations, [])).toThrow('the operation countAreas has no description');
    expect(() => rightAnswerOf(countAreas)).toThrow('no entry of the operation countAreas');
  });
});
