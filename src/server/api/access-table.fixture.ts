import type { Access, Route } from '../rest/define-route';
import type { AppRouter } from './root';
import { operationsOf } from './routes-of';

/** One thing that can be called, and who may call it. */
export type Callable = {
  surface: 'REST' | 'tRPC';
  /** `GET`, `POST` …; `query`, `mutation` or `subscription` for tRPC. */
  method: string;
  path: string;
  access: Access;
};

type Procedures = Record<string, { _def: { type: string } }>;

/**
 * Everything that can be called, from the tables that the handlers themselves use: nothing can be reached and be missing here.
 * @throws Error for a procedure that was built without saying who may call it
 */
export function listCallables(routes: readonly Route[], router: AppRouter): Callable[] {
  const procedures = router._def.procedures as unknown as Procedures;
  return [
    ...routes.map(({ method, path, access }): Callable => ({ surface: 'REST', method, path, access })),
    ...operationsOf(router).map(
      ([path, { access }]): Callable => ({
        surface: 'tRPC',
        method: procedures[path]?._def.type ?? '',
        path,
        access,
      }),
    ),
  ];
}
