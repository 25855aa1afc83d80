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

function matchOne(route: Route, segments: readonly string[]): Record<string, string> | null {
  const pattern = route.path.slice(1).split('/');
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [i, part] of pattern.entries()) {
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
  const found = routes
    .map((route) => ({ route, params: matchOne(route, segments) }))
    .filter((m): m is Match => m.params !== null)
    .sort((a, b) => Object.keys(a.params).length - Object.keys(b.params).length);
  return { match: found.find((m) => m.route.method === method) ?? null, known: found.map((m) => m.route) };
}
