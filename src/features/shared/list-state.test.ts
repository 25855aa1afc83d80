import { describe, expect, it } from 'vitest';
import { parseAsId, parseAsSome } from './list-state';

describe('filters in the URL', () => {
  const some = parseAsSome(['drop', 'reject', 'accept']);

  it('keep the known words of several, and are none without any', () => {
    expect(some.parse('drop,accept')).toEqual(['drop', 'accept']);
    expect(some.parse('flying,drop')).toEqual(['drop']);
    expect(some.parse('flying')).toBeNull();
    expect(some.parse('')).toBeNull();
  });

  it('serialize to the text that they are parsed from', () => {
    expect(some.parse(some.serialize(['drop', 'reject']))).toEqual(['drop', 'reject']);
  });

  it('parse an invalid id as none', () => {
    expect(parseAsId.parse("1' or '1")).toBeNull();
  });
});
