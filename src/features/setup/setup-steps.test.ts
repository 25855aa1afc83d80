import { describe, expect, it } from 'vitest';
import { setupStep } from './setup-steps';

const known = {
  completed: true,
  signedIn: true,
  step: null,
  clusterId: null,
  found: { cluster_id: 'c', synced: true },
};
const getStep = (given: Partial<Omit<Parameters<typeof setupStep>[0], 'step'>> & { step?: string | null }) =>
  setupStep({ ...known, ...given })?.step ?? null;

describe('setupStep', () => {
  it('returns the administrator step until an administrator exists, whatever the URL is', () => {
    for (const step of [null, 'cluster', 'sync', 'next', 'x'])
      expect(getStep({ completed: false, signedIn: false, step, found: undefined })).toBe('administrator');
  });

  it('shows nothing to strangers and sends others home when everything is done', () => {
    expect(getStep({ signedIn: false, step: 'cluster' })).toBe('sign_in');
    expect(getStep({})).toBe('home');
    expect(getStep({ step: 'administrator' })).toBe('home');
  });

  it('stays where it was after a reload; a sync needs its cluster', () => {
    expect(getStep({ step: 'cluster' })).toBe('cluster');
    expect(getStep({ step: 'sync', clusterId: 'c' })).toBe('sync');
    expect(getStep({ step: 'sync', found: null })).toBe('cluster');
  });

  it('resumes where the browser was closed: without a cluster, or with one that was never read', () => {
    expect(getStep({ found: null })).toBe('cluster');
    expect(setupStep({ ...known, found: { cluster_id: 'c', synced: false } })).toEqual({
      step: 'sync',
      clusterId: 'c',
    });
    expect(getStep({ found: undefined })).toBeNull();
  });
});
