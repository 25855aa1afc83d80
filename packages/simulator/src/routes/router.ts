import type { Route } from './route';

type Segment = { literal: string } | { name: string; rest: boolean };
type Compiled = { route: Route; segments: Segment[] };

export type RouteMatch = { route: Route; pathParams: Record<string, string> };

const compile = (route: Route): Compiled => ({
  route,
  segments: route.pattern
    .split('/')
    .slice(1)
    .map((part) => {
      const name = /^\{([a-z]+)(\+?)\}$/.exec(part);
      return name ? { name: name[1] ?? '', rest: name[2] === '+' } : { literal: part };
    }),
});

const matchOne = ({ route, segments }: Compiled, parts: readonly string[]): RouteMatch | undefined => {
  const pathParams: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const part = parts[index];
    if (part === undefined) return undefined;
    if ('literal' in segment) {
      if (segment.literal !== part) return undefined;
    } else if (segment.rest) {
      pathParams[segment.name] = parts.slice(index).join('/');
      return { route, pathParams };
    } else {
      pathParams[segment.name] = part;
    }
  }
  return parts.length === segments.length ? { route, pathParams } : undefined;
};

/** Finds the route of a decoded path such as `/nodes/pve1/qemu/100/config`. */
export function createRouter(routes: readonly Route[]): (method: string, path: string) => RouteMatch | undefined {
  const byMethod = new Map<string, Compiled[]>();
  for (const route of routes) {
    const list = byMethod.get(route.method) ?? [];
    list.push(compile(route));
    byMethod.set(route.method, list);
  }
  return (method, path) => {
    // Empty components are dropped, so a trailing or double slash does not matter.
    const parts = path.split('/').filter((part) => part !== '');
    for (const compiled of byMethod.get(method) ?? []) {
      const match = matchOne(compiled, parts);
      if (match) return match;
    }
    return undefined;
  };
}
