import { expect, test } from 'vitest';
import { setupStep } from './setup-steps';

const known = { completed: true, signedIn: true, step: null, clusterId: null };

test('without an administrator there is one step, whatever the URL says', () => {
  for (const step of [null, 'cluster', 'sync', 'next', 'x']) {
    expect(setupStep({ ...known, completed: false, signedIn: false, step })).toBe('administrator');
  }
});

test('a completed setup shows nothing to strangers and sends others home', () => {
  expect(setupStep({ ...known, signedIn: false, step: 'cluster' })).toBe('sign_in');
  expect(setupStep(known)).toBe('home');
  expect(setupStep({ ...known, step: 'administrator' })).toBe('home');
});

test('a reload goes on where it was; a sync needs its cluster', () => {
  expect(setupStep({ ...known, step: 'cluster' })).toBe('cluster');
  expect(setupStep({ ...known, step: 'sync', clusterId: 'c' })).toBe('sync');
  expect(setupStep({ ...known, step: 'sync' })).toBe('cluster');
});
