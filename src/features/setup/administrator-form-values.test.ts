import { expect, test } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { type AdministratorValues, EMPTY_ADMINISTRATOR, toSetupInput } from './administrator-form-values';
import { administratorSchema } from './administrator-schema';

const good: AdministratorValues = {
  ...EMPTY_ADMINISTRATOR,
  email: ' Admin@Example.org ',
  password: 'seven grey herons',
  password_repeat: 'seven grey herons',
};

const listInvalidFields = (values: AdministratorValues, codeRequired = false) => {
  const issues = administratorSchema(english, codeRequired).safeParse(values).error?.issues ?? [];
  return [...new Set(issues.map((issue) => issue.path.join('.')))].sort();
};

test('accepts a filled form and normalizes the address', () => {
  expect(administratorSchema(english, false).parse(good).email).toBe('admin@example.org');
});

test('each rule speaks at its field', () => {
  expect(listInvalidFields(EMPTY_ADMINISTRATOR)).toEqual(['email', 'password']);
  expect(listInvalidFields({ ...good, password_repeat: 'x' })).toEqual(['password_repeat']);
  expect(listInvalidFields({ ...good, password: 'short', password_repeat: 'short' })).toEqual(['password']);
  expect(
    listInvalidFields({
      ...good,
      email: 'night.operator',
      password: 'night.operator',
      password_repeat: 'night.operator',
    }),
  ).toEqual(['password']);
});

test('the code is asked for only when the service wants one', () => {
  expect(listInvalidFields(good, true)).toEqual(['setup_code']);
  expect(listInvalidFields({ ...good, setup_code: 'ABCD-1234' }, true)).toEqual([]);
});

test('empty fields and the repeated password are not sent', () => {
  expect(toSetupInput(good)).toEqual({ email: good.email, password: good.password });
  expect(toSetupInput({ ...good, name: ' Kim ', setup_code: ' abc ' })).toMatchObject({
    name: 'Kim',
    setup_code: 'abc',
  });
});
