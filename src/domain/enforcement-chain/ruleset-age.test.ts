import { describe, expect, it } from 'vitest';
import { compareAge } from './ruleset-age';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
/** The edit was made between 100 s and 400 s. */
const EDIT = { unchanged_at: at(100), changed_at: at(400) };

describe('compareAge', () => {
  it.each([
    ['changed after the last reading without the edit', { changed_at: at(101), reported_at: at(500) }, 'loaded'],
    ['changed long after it', { changed_at: at(900), reported_at: at(950) }, 'loaded'],
    ['not changed although there was time', { changed_at: at(100), reported_at: at(421) }, 'not_loaded'],
    ['not changed, reported while it compiles', { changed_at: at(100), reported_at: at(420) }, 'waiting'],
    ['not changed, not reported since', { changed_at: at(50), reported_at: at(120) }, 'waiting'],
    ['never reported', { changed_at: null, reported_at: null }, 'unknown'],
    ['rules never read', { changed_at: null, reported_at: at(500) }, 'unknown'],
  ] as const)('evaluates rules %s: %s', (_case, ruleset, age) => {
    expect(compareAge(EDIT, ruleset)).toBe(age);
  });

  it('needs both sides, and accepts what was never edited', () => {
    const ruleset = { changed_at: at(0), reported_at: at(10) };
    expect(compareAge(null, ruleset)).toBe('unknown');
    expect(compareAge(EDIT, null)).toBe('unknown');
    expect(compareAge({ changed_at: at(400), unchanged_at: null }, ruleset)).toBe('loaded');
  });
});
