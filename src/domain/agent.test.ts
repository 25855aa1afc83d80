import { expect, it } from 'vitest';
import { isOlderVersion } from './agent';

it.each([
  ['0.1.9', '0.2.0', true],
  ['0.2.0', '0.2.0', false],
  ['0.10.0', '0.9.0', false],
  ['1.0.0', '0.9.9', false],
  ['0.2.0-rc.1', '0.2.0', true],
  ['0.2.0', '0.2.0-rc.1', false],
  ['0.2.0-rc.1', '0.2.0-rc.2', true],
  ['0.2.0+build', '0.2.0', false],
  ['devel', '0.2.0', null],
  ['0.2', '0.2.0', null],
])('%s before %s: %s', (a, b, expected) => {
  expect(isOlderVersion(a, b)).toBe(expected);
});
