import { describe, expect, it } from 'vitest';
import { readClaims, readGroups } from './read-claims';

const BASE = { iss: 'https://id.example.org', sub: 'alice' };

describe('groups', () => {
  it('come from a list or a single name, under a name or a path', () => {
    expect(readGroups({ groups: ['a', 'b', 'a', '', 7, null] }, 'groups')).toEqual(['a', 'b']);
    expect(readGroups({ groups: 'a' }, 'groups')).toEqual(['a']);
    expect(readGroups({ realm_access: { roles: ['a'] } }, 'realm_access.roles')).toEqual(['a']);
    expect(readGroups({ 'https://example.org/groups': ['a'] }, 'https://example.org/groups')).toEqual(['a']);
    expect(readGroups({ groups: { a: true } }, 'groups')).toEqual([]);
    expect(readGroups({ groups: 'a' }, 'constructor.name')).toEqual([]);
  });

  it('count as none without the claim, and unknown when they are elsewhere or too many', () => {
    expect(readGroups({}, 'groups')).toEqual([]);
    expect(readGroups({ groups: null }, 'groups')).toEqual([]);
    expect(readGroups({ _claim_names: { groups: 'src1' } }, 'groups')).toBe('unknown');
    expect(readGroups({ groups: Array.from({ length: 1001 }, (_, i) => `g${i}`) }, 'groups')).toBe('unknown');
  });

  it('come from the ID token before userinfo, also when its list is empty', () => {
    expect(readClaims({ ...BASE, groups: [] }, { groups: ['a'] }, 'groups').groups).toEqual([]);
    expect(readClaims(BASE, { groups: ['a'] }, 'groups').groups).toEqual(['a']);
  });

  it('count as unknown when either source says that they are elsewhere, unless one of them has them', () => {
    const sources = {
      lists: { groups: ['a'] },
      elsewhere: { _claim_names: { groups: 'src1' } },
      none: {},
      empty: { groups: null },
    };
    type Source = keyof typeof sources;
    const names = Object.keys(sources) as Source[];
    for (const token of names) {
      for (const info of [...names, null]) {
        const both = [token, info];
        const expected = both.includes('lists') ? ['a'] : both.includes('elsewhere') ? 'unknown' : [];
        const { groups } = readClaims({ ...BASE, ...sources[token] }, info && sources[info], 'groups');
        expect(groups, both.join(' and ')).toEqual(expected);
      }
    }
  });
});

describe('an email address', () => {
  it('counts as verified only by its own source', () => {
    const claims = (token: object, info: Record<string, unknown> | null) => {
      const { email, email_verified } = readClaims({ ...BASE, ...token }, info, 'groups');
      return [email, email_verified];
    };
    expect(claims({ email: 'a@b.c', email_verified: true }, null)).toEqual(['a@b.c', true]);
    expect(claims({ email: 'a@b.c' }, { email: 'x@y.z', email_verified: true })).toEqual(['a@b.c', false]);
    expect(claims({ email_verified: true }, { email: 'x@y.z' })).toEqual(['x@y.z', false]);
    expect(claims({}, { email: 'x@y.z', email_verified: true })).toEqual(['x@y.z', true]);
    expect(claims({ email: 'a@b.c', email_verified: 'true' }, null)).toEqual(['a@b.c', false]);
    expect(claims({ email: 42 }, null)).toEqual([null, false]);
  });
});
