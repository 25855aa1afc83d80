import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineRoute } from './define-route';
import { matchRoute, pathSegments } from './match-route';

const route = (method: 'GET' | 'POST' | 'DELETE', path: `/${string}`) =>
  defineRoute({
    method,
    path,
    summary: '',
    tag: '',
    access: { open: 'test' },
    response: { status: 200 },
    handler: async () => ({}),
  });

const table = [
  route('GET', '/clusters'),
  route('POST', '/clusters/check'),
  route('GET', '/clusters/{cluster_id}'),
  route('DELETE', '/clusters/{cluster_id}'),
];

describe('pathSegments', () => {
  it.each(['/a//b', '/a/../b', '/a/%2e%2e/b', '/a/./b', '/a%2fb', '/a%5cb', '/a%00', '/%zz', '//', '/a/'])(
    'refuses %s',
    (path) => {
      expect(pathSegments(path)).toBeNull();
    },
  );

  it('decodes each segment once', () => {
    expect(pathSegments('/a%20b/%252e')).toEqual(['a b', '%2e']);
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (path) => void pathSegments(path)));
  });
});

describe('matchRoute', () => {
  it('prefers a literal segment to a parameter', () => {
    expect(matchRoute(table, 'POST', ['clusters', 'check']).match?.route.path).toBe('/clusters/check');
    expect(matchRoute(table, 'GET', ['clusters', 'x']).match?.params).toEqual({ cluster_id: 'x' });
  });

  it('knows the other routes of an address', () => {
    const { match, known } = matchRoute(table, 'POST', ['clusters', 'x']);
    expect(match).toBeNull();
    expect(known.map((r) => r.method)).toEqual(['GET', 'DELETE']);
    expect(matchRoute(table, 'GET', ['nothing'])).toEqual({ match: null, known: [] });
  });
});
