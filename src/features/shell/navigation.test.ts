import { describe, expect, it } from 'vitest';
import { findSection, NAVIGATION, visibleNavigation } from './navigation';

const idsFor = (...permissions: string[]) =>
  visibleNavigation(permissions).flatMap((group) => group.entries.map((entry) => entry.id));

describe('visibleNavigation', () => {
  it('shows a super administrator everything', () => {
    expect(idsFor('*')).toEqual(NAVIGATION.flatMap((group) => group.entries.map((entry) => entry.id)));
  });

  it('shows what is permitted, and no group without entries', () => {
    expect(idsFor('workload:read', 'audit:read')).toEqual(['workloads', 'reach', 'audit']);
    expect(visibleNavigation(['workload:read']).map((group) => group.id)).toEqual(['inventory', 'traffic']);
    expect(visibleNavigation([])).toEqual([]);
  });
});

describe('findSection', () => {
  it('finds lists and what is below them', () => {
    expect(findSection('/clusters')?.id).toBe('clusters');
    expect(findSection('/clusters/0190')?.id).toBe('clusters');
    expect(findSection('/clusters-of-grapes')).toBeUndefined();
    expect(findSection('/')?.id).toBe('dashboard');
    expect(findSection('/changes/0190')?.id).toBe('changes');
    expect(findSection('/impacts/0190')?.id).toBe('policies');
    expect(findSection('/nowhere')).toBeUndefined();
  });

  it('returns one section per address', () => {
    const hrefs = NAVIGATION.flatMap((group) => group.entries.map((entry) => entry.href));
    for (const href of hrefs) expect(findSection(href)?.href).toBe(href);
  });
});

describe('the keys after g', () => {
  it('have one lower-case letter each, and no letter opens two pages', () => {
    const keys = NAVIGATION.flatMap((group) => group.entries.map((entry) => entry.key));
    for (const key of keys) expect(key).toMatch(/^[a-z]$/);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
