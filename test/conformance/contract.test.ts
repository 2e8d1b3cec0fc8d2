import { beforeAll, describe, expect, it } from 'vitest';
import { exampleOf, prepareExamples } from '../faults/calls.ts';
import { OPERATIONS } from '../suites/operations.ts';
import { expectInContract, type Received } from '../support/contract.ts';
import { Service } from '../support/service.ts';

/*
 * What the tests rest on that hold every answer to the description: nothing may stand in an answer, at any depth, that the
 * description does not have.
 */

/** Bodies of the client's, which the call log gives back as they were. */
const ANYTHING = [/^\/calls?(\/\d+)?\/(request|response)(\/|$)/];
const INSTANT = /"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)"/g;

const service = new Service();
beforeAll(prepareExamples);

async function receive(id: string): Promise<Received> {
  const operation = OPERATIONS.find((one) => one.id === id) ?? expect.fail(id);
  const { path, method = 'GET', headers = {}, body } = await exampleOf(operation).next();
  const sent = typeof body === 'object' ? JSON.stringify(body) : (body as string | undefined);
  const request = new Request(`https://parking.test${path}`, {
    ...{ method, headers },
    ...(sent !== undefined && { body: sent }),
  });
  return { method, path, ...(await service.send(request)) };
}

/** Where there is an object in a value, as JSON pointers. */
function objectsIn(value: unknown, pointer = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.entries(value).flatMap(([name, item]) => objectsIn(item, `${pointer}/${name}`));
  return Array.isArray(value) ? below : [pointer, ...below];
}

/** The text with a property more in the object that the pointer leads to. */
function withOneMore(text: string, pointer: string): string {
  const whole: unknown = JSON.parse(text);
  const steps = pointer.split('/').slice(1);
  const object = steps.reduce((node, step) => Reflect.get(Object(node), step), whole);
  Reflect.set(Object(object), 'holder', 'Mario Rossi');
  return JSON.stringify(whole);
}

const ANSWERING_JSON = OPERATIONS.filter(
  ({ answer, access }) => access.by !== 'anybody' && answer !== null && !('line' in answer),
).map(({ id }) => id);

describe('The contract refuses in the answer of', () => {
  it.each(ANSWERING_JSON)('%s a property that is not described, wherever it stands', async (id) => {
    const received = await receive(id);
    const pointers = objectsIn(JSON.parse(received.text)).filter(
      (pointer) => !ANYTHING.some((free) => free.test(pointer)),
    );
    expect(pointers).toContain('');
    for (const pointer of pointers) {
      const spoilt = { ...received, text: withOneMore(received.text, pointer) };
      expect(() => expectInContract(spoilt), pointer).toThrow('holder');
    }
  });

  it('a plate check a warning that the description does not know, though clients have to take it', async () => {
    const received = await receive('checkPlate');
    const warnedOf = (code: string): Received => {
      const warnings = [{ code, message: 'x' }];
      return { ...received, text: JSON.stringify({ ...JSON.parse(received.text), warnings }) };
    };
    expectInContract(warnedOf('AREA_CODE_REQUIRED'));
    expect(() => expectInContract(warnedOf('UNDESCRIBED'))).toThrow('UNDESCRIBED');
  });

  it('a plate check an instant whose fraction has not exactly three digits', async () => {
    const received = await receive('checkPlate');
    const { text } = received;
    const instants = [...text.matchAll(INSTANT)];
    expect(instants.length).toBeGreaterThan(2);
    for (const { 0: whole, 1: seconds, 2: offset, index } of instants) {
      const withFraction = (fraction: string): Received => ({
        ...received,
        text: `${text.slice(0, index)}"${seconds}${fraction}${offset}"${text.slice(index + whole.length)}`,
      });
      for (const right of ['', '.290']) expectInContract(withFraction(right));
      for (const wrong of ['.2', '.29', '.2901']) {
        expect(() => expectInContract(withFraction(wrong)), wrong).toThrow('pattern');
      }
    }
  });
});
