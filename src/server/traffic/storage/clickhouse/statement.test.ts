import { describe, expect, it } from 'vitest';
import { any, ch, idArray, inIds, raw, text, toStatement } from './statement';

const list = (first: number) => Array.from({ length: 3 }, (_, i) => `00000000-0000-4000-8000-00000000000${first + i}`);

describe('a statement of ClickHouse', () => {
  it('has each list of ids once, however often it is used, and each value', () => {
    const [ours, theirs] = [list(1), list(4)];
    const columns = ['t.source', 't.destination', 't.observer'].map((name) => inIds(raw(name), ours));
    const { query, query_params } = toStatement(
      ch`select ${text('a')} as a, ${text('a')} as b from t where ${any(columns)} or ${inIds(raw('t.node'), theirs)}`,
    );
    for (const id of [...ours, ...theirs]) expect(query.split(id)).toHaveLength(2);
    expect(query.match(/ in ids0\b/g)).toHaveLength(3);
    expect(query.match(/ in ids1\b/g)).toHaveLength(1);
    expect(query_params).toEqual({ p0: 'a' });
  });

  it('stays as it is written where it names no list', () => {
    expect(toStatement(ch`select 1 where ${inIds(raw('id'), [])}`).query).toBe('select 1 where false');
  });

  it('refuses what is no id, and lists before anything but a SELECT', () => {
    expect(() => toStatement(ch`select 1 where ${inIds(raw('id'), ["') or true or ('"])}`)).toThrow('a UUID');
    expect(() => idArray(['x'])).toThrow('a UUID');
    expect(() => toStatement(ch`delete from t where ${inIds(raw('id'), list(1))}`)).toThrow('a SELECT');
  });
});
