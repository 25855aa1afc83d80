import { expect, it } from 'vitest';
import { EMPTY_TEST, testFieldName, toTestInput, toTestUpdate } from './test-form-values';

const VALUES = { ...EMPTY_TEST, name: 'web', from: ['any'], to: ['sg:web'], ports: '443, 8000-8010 53' };

it('splits typed ports at commas and spaces', () => {
  expect(toTestInput(VALUES).ports).toEqual(['443', '8000-8010', '53']);
  expect(toTestInput({ ...VALUES, ports: ' ' }).ports).toEqual([]);
});

it('leaves out an owner that was not to be chosen', () => {
  expect(toTestInput(VALUES)).not.toHaveProperty('tenant_id');
  expect(toTestUpdate(VALUES, { version: 3 })).toMatchObject({ version: 3, expect: 'allow' });
});

it.each([
  ['from.0', 'from'],
  ['ports.2', 'ports'],
  ['name', 'name'],
])('shows a problem of %s at %s', (path, field) => {
  expect(testFieldName(path)).toBe(field);
});
