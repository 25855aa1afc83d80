import fc from 'fast-check';
import { EqualityFilter, FilterParser } from 'ldapts';
import { describe, expect, it } from 'vitest';
import { fillFilter, findFilterProblem } from './filters';

describe('fillFilter', () => {
  it('makes every name one value of one comparison', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (user) => {
        const filter = FilterParser.parseString(fillFilter('(uid={user})', { user }));
        expect(filter).toBeInstanceOf(EqualityFilter);
        const { attribute, value } = filter as EqualityFilter;
        expect(attribute).toBe('uid');
        expect(Buffer.from(value).toString('utf8')).toBe(Buffer.from(user, 'utf8').toString('utf8'));
      }),
    );
  });

  it('keeps letters beyond ASCII, and what looks like syntax', () => {
    for (const user of ['müller', '李', '🦊', '*)(uid=*', '\\2a', '(', '\u0000', '\\']) {
      const filter = FilterParser.parseString(fillFilter('(uid={user})', { user })) as EqualityFilter;
      expect(Buffer.from(filter.value).toString('utf8'), user).toBe(user);
    }
  });

  it('reads no placeholder out of a value', () => {
    expect(fillFilter('(&(uid={user})(member={dn}))', { user: '{dn}', dn: 'cn=a*' })).toBe(
      '(&(uid={dn})(member=cn=a\\2a))',
    );
  });
});

describe('findFilterProblem', () => {
  it('accepts filters of directories and refuses broken ones', () => {
    for (const filter of [
      '(uid={user})',
      '(&(objectClass=user)(|(sAMAccountName={user})(userPrincipalName={user})))',
      '(userAccountControl:1.2.840.113556.1.4.803:=2)',
      '(member:1.2.840.113556.1.4.1941:={dn})',
    ]) {
      expect(findFilterProblem(filter), filter).toBeNull();
    }
    for (const filter of ['(uid={user}', '(&(uid={user})']) {
      expect(findFilterProblem(filter), filter).toMatch(/cannot be read/);
    }
  });
});
