import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { BUILT_IN_ROLES, isGranted, PERMISSION_REACH } from '@/domain/permissions';
import { routes } from '../rest/routes';
import { type Callable, listCallables } from './access-table.fixture';
import { listOperations } from './list-routes';
import { operations } from './operation';
import { appRouter } from './root';
import { router } from './trpc';

const callables = listCallables(routes, appRouter);

function line({ surface, method, path, page, access }: Callable): string {
  const call = `${method.padEnd(8)} ${path.padEnd(55)} ${(surface === 'REST' ? (page ?? '') : '').padEnd(38)}`;
  if ('open' in access) return `${call} open: ${access.open}`;
  // Those who still have to set up a second factor get in where it says so, and nowhere else.
  const enrolling = 'enrolling' in access && access.enrolling ? ', enrolling too' : '';
  if ('signedIn' in access) return `${call} signed in${enrolling}: ${access.signedIn}`;
  if ('person' in access) return `${call} in person${enrolling}: ${access.person}`;
  if ('agent' in access) return `${call} agent: ${access.agent}`;
  const { permission } = access;
  const roles = Object.entries(BUILT_IN_ROLES)
    .filter(([role, { permissions }]) =>
      isGranted([{ role, permissions, tenant_id: null, project_id: null }], permission),
    )
    .map(([role]) => role);
  const reach = permission === '*' ? 'platform' : PERMISSION_REACH[permission];
  return `${call} ${permission.padEnd(15)} ${reach.padEnd(8)} ${roles.join(' ')}`;
}

/** What replaces nothing that is stored, and the name that people give something of their own. */
const WITHOUT_VERSION = ['account.renamePasskey', 'securityGroups.changeMembers'];

describe('a change of something stored', () => {
  it('takes the version that was read', () => {
    const changes = listOperations(appRouter).filter(([, { rest }]) => /^(PUT|PATCH) /.test(rest ?? ''));
    const without = changes.filter(
      ([, { input }]) => !('version' in ((input as z.ZodObject | undefined)?.shape ?? {})),
    );
    expect(without.map(([name]) => name)).toEqual(WITHOUT_VERSION);
    expect(changes.length).toBeGreaterThan(15);
  });
});

describe('who may do what', () => {
  // The file is read in review: a change of rights shows as a changed line. `npx vitest run -u src/server/api/access.test.ts`
  it('matches the file access.txt', async () => {
    const section = (surface: string) =>
      callables
        .filter((callable) => callable.surface === surface)
        .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.method < b.method ? -1 : 1))
        .map((callable) => line(callable).trimEnd());
    const rest = '# REST, below /api/v1, and what pages call the same operation';
    const text = [rest, ...section('REST'), '', '# Only for pages', ...section('tRPC'), ''].join('\n');
    await expect(text).toMatchFileSnapshot('access.txt');
  });

  it('has a declaration for every procedure and route', () => {
    expect(callables.length).toBeGreaterThan(15);
    for (const { path, access } of callables) {
      const { permission: _, enrolling: __, ...reasons } = { permission: undefined, enrolling: undefined, ...access };
      const reason = Object.values<string>(reasons)[0] ?? null;
      if (reason !== null) expect(reason.length, path).toBeGreaterThan(10);
    }
  });

  it('has no two routes for one call', () => {
    const names = callables.map(
      ({ surface, method, path }) => `${surface} ${method} ${path.replace(/\{[^}]*\}/g, '{}')}`,
    );
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  it('cannot be left out of an operation', () => {
    const { query } = operations('Administration');
    // @ts-expect-error the access has to be declared
    expect(() => query({ run: async () => null })).not.toThrow();
    // @ts-expect-error and a permission has to exist
    expect(() => query({ access: { permission: 'cluster:destroy' }, run: async () => null })).not.toThrow();
    const silent = { _def: { procedures: { 'a.b': { _def: { type: 'query' } } } } } as unknown as typeof appRouter;
    expect(() => listCallables([], silent)).toThrow('expected a.b to be an operation');
    expect(listCallables([], router({}) as unknown as typeof appRouter)).toEqual([]);
  });
});
