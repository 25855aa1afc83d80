import { describe, expect, it } from 'vitest';
import { applySearchChanges, isAtAddress, URL_FLAG, URL_TEXT, urlEnum, withInitial } from './url-state';

const PARSERS = {
  q: withInitial(URL_TEXT, ''),
  sort: withInitial(urlEnum(['name', '-name']), 'name'),
  add: URL_FLAG,
  since: URL_TEXT,
};
const changed = (before: string, changes: Record<string, unknown>) => applySearchChanges(before, PARSERS, changes);

describe('values in the URL', () => {
  it('return to what they were written from, and are null for anything else', () => {
    expect(PARSERS.sort.parse(PARSERS.sort.serialize('-name'))).toBe('-name');
    expect(PARSERS.sort.parse('size')).toBeNull();
    expect([true, false].map((flag) => URL_FLAG.parse(URL_FLAG.serialize(flag)))).toEqual([true, false]);
    expect(URL_FLAG.parse('yes')).toBeNull();
  });

  it('change by themselves: others stay, those of other parts of the page as well', () => {
    expect(changed('?tab=flows&q=web', { sort: '-name' })).toBe('tab=flows&q=web&sort=-name');
    expect(changed('?q=web&sort=-name', { q: 'db', sort: undefined })).toBe('q=db&sort=-name');
    expect(changed('?q=web', { tab: 'flows' })).toBe('q=web');
  });

  it('disappear when they are null or the initial value', () => {
    expect(changed('?q=web&sort=-name&add=true', { q: '', sort: 'name', add: null })).toBe('');
    expect(changed('', { add: false })).toBe('add=false');
  });

  it('stay readable, and one text in the router and in the address bar', () => {
    const search = changed('', { since: '2026-11-25T18:00:00Z', q: 'a,b & c' });
    expect(search).toBe('since=2026-11-25T18:00:00Z&q=a,b+%26+c');
    expect(new URLSearchParams(search).get('q')).toBe('a,b & c');
  });

  it('hold before the router has them only while the address does: a quick step back leads away from them', () => {
    const set = { path: '/flows', search: 'port=22,80&q=a b' };
    expect(isAtAddress(set, { pathname: '/flows', search: '?port=22%2C80&q=a+b' })).toBe(true);
    expect(isAtAddress(set, { pathname: '/flows', search: '?group=service' })).toBe(false);
    expect(isAtAddress(set, { pathname: '/drift', search: '?port=22,80&q=a+b' })).toBe(false);
    expect(isAtAddress({ path: '/flows', search: '' }, { pathname: '/flows', search: '' })).toBe(true);
  });
});
