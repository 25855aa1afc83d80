import { objectCache } from '../lib/cache';
import { groupBy } from '../lib/group-by';
import type { Route } from './define-route';

/** The path's segments, each decoded exactly once; null when one is empty, a dot segment or not decodable. */
export function pathSegments(pathname: string): string[] | null {
  const raw = pathname.replace(/^\//, '').split('/');
  const segments: string[] = [];
  for (const part of raw) {
    let text: string;
    try {
      text = decodeURIComponent(part);
    } catch {
      return null;
    }
    // A slash, a backslash or a NUL that arrives encoded never means the same as in a path of this API.
    if (text === '' || text === '.' || text === '..' || /[/\\\0]/.test(text)) return null;
    segments.push(text);
  }
  return segments;
}

type Match = { route: Route; params: Record<string, string> };
type Pattern = { route: Route; parts: readonly string[] };

/** The patterns of a table by their number of segments: a request is compared with those of its own number. */
const patterns = objectCache<readonly Route[], ReadonlyMap<number, readonly Pattern[]>>({ name: 'route_patterns' });

const splitPatterns = (routes: readonly Route[]): ReadonlyMap<number, readonly Pattern[]> =>
  groupBy(
    routes.map((route) => ({ route, parts: route.path.slice(1).split('/') })),
    ({ parts }) => parts.length,
  );

function matchOne(parts: readonly string[], segments: readonly string[]): Record<string, string> | null {
  const params: Record<string, string> = {};
  for (const [i, part] of parts.entries()) {
    const value = segments[i] as string;
    if (part.startsWith('{')) params[part.slice(1, -1)] = value;
    else if (part !== value) return null;
  }
  return params;
}

/** Finds the route; a literal segment beats a parameter. `known` are the address's routes of any method, for 405. */
export function matchRoute(
  routes: readonly Route[],
  method: string,
  segments: readonly string[],
): { match: Match | null; known: Route[] } {
  const found = (patterns.load(routes, null, () => splitPatterns(routes)).get(segments.length) ?? [])
    .map(({ route, parts }) => ({ route, params: matchOne(parts, segments) }))
    .filter((m): m is Match => m.params !== null)
    .sort((a, b) => Object.keys(a.params).length - Object.keys(b.params).length);
  return { match: found.find((m) => m.route.method === method) ?? null, known: found.map((m) => m.route) };
}
