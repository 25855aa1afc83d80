import type { Access, Route } from '../rest/define-route';
import { listOperations } from './list-routes';
import type { AppRouter } from './root';

/** One thing that can be called, and who may call it. */
export type Callable = {
  surface: 'REST' | 'tRPC';
  /** `GET`, `POST` …; `query`, `mutation` or `subscription` for tRPC. */
  method: string;
  path: string;
  /** What pages call it; null where only REST has it. */
  page: string | null;
  access: Access;
};

type Procedures = Record<string, { _def: { type: string } }>;

/** The same operation as pages call it. */
export function toPageCallable(callable: Callable, router: AppRouter): Callable {
  const procedures = router._def.procedures as unknown as Procedures;
  const path = callable.page ?? '';
  return { ...callable, surface: 'tRPC', method: procedures[path]?._def.type ?? '', path };
}

/**
 * Everything that can be called, once, from the tables that the handlers themselves use: nothing can be reached and be missing
 * here. What both surfaces have stands as REST has it: both are made from one operation.
 * @throws Error for a procedure that is no operation
 */
export function listCallables(routes: readonly Route[], router: AppRouter): Callable[] {
  const operations = listOperations(router);
  const pages = new Map(operations.flatMap(([page, { rest }]) => (rest === undefined ? [] : [[rest, page] as const])));
  const onlyPages = operations.filter(([, { rest }]) => rest === undefined);
  return [
    ...routes.map(({ method, path, access }): Callable => {
      return { surface: 'REST', method, path, page: pages.get(`${method} ${path}`) ?? null, access };
    }),
    ...onlyPages.map(([page, { access }]) =>
      toPageCallable({ surface: 'tRPC', method: '', path: page, page, access }, router),
    ),
  ];
}
