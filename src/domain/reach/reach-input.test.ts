import { expect, it } from 'vitest';
import { ReachInput } from './reach';

const refuse = (from: unknown) => {
  const [issue] = ReachInput.safeParse({ from, to: ['any'] }).error?.issues ?? [];
  return [issue?.path.join('.'), issue?.message];
};

it('accepts endpoints, and everything outside', () => {
  for (const from of ['outside', ['any', '!tag:web'], ['10.0.0.1']]) {
    expect(ReachInput.safeParse({ from, to: ['any'] }).success).toBe(true);
  }
});

it('names the endpoint that cannot be read, and what to write instead', () => {
  expect(refuse(['any', 'vmid:9'])).toEqual([
    'from',
    'vmid:9: Enter a number from 100 to 999999999, as vmid:105 or vmid:cluster/105.',
  ]);
  expect(refuse(['!any'])).toEqual(['from', 'Specify an endpoint that is not an exception.']);
  for (const other of ['inside', undefined, 5]) {
    expect(refuse(other)).toEqual(['from', 'A list of endpoints, or the word outside.']);
  }
});
