import type { Grantable } from '@/domain/permissions';
import type { Access, Route } from '../rest/define-route';
import type { AppRouter } from './root';

/** One thing that can be called, and who may call it. */
export type Callable = {
  surface: 'REST' | 'tRPC';
  /** `GET`, `POST` …; `query`, `mutation` or `subscription` for tRPC. */
  method: string;
  path: string;
  access: Access;
};

type Procedure = { _def: { type: string; meta?: unknown } };

function accessOf(path: string, meta: unknown): Access {
  if (typeof meta === 'object' && meta !== null) {
    if ('permission' in meta) return { permission: meta.permission as Grantable };
    const enrolling = 'enrolling' in meta && meta.enrolling === true ? ({ enrolling: true } as const) : {};
    if ('signedIn' in meta) return { signedIn: String(meta.signedIn), ...enrolling };
    if ('person' in meta) return { person: String(meta.person), ...enrolling };
  }
  throw new Error(`The procedure ${path} says nothing about who may call it. Build it with procedure or ownProcedure.`);
}

/**
 * Everything that can be called, from the tables that the handlers themselves use: nothing can be reached and be missing here.
 * @throws Error for a procedure that was built without saying who may call it
 */
export function listCallables(routes: readonly Route[], router: AppRouter): Callable[] {
  const procedures = Object.entries(router._def.procedures as unknown as Record<string, Procedure>);
  return [
    ...routes.map(({ method, path, access }): Callable => ({ surface: 'REST', method, path, access })),
    ...procedures.map(
      ([path, { _def }]): Callable => ({ surface: 'tRPC', method: _def.type, path, access: accessOf(path, _def.meta) }),
    ),
  ];
}
