import { z } from 'zod';
import type { GetOptions, PveClient } from '../client';
import { apiPath } from '../http/encode';
import { parseObject } from './parse-list';

/** Paths that the answer always considers: when one of them is absent, nothing is granted there. */
const ALWAYS_REPORTED = new Set(['/', '/access', '/access/groups', '/nodes', '/pool', '/sdn', '/storage', '/vms']);

/** Path → privilege → whether it also holds below. Both values mean granted. */
const Answer = z.record(z.string(), z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])));

/** What the token may do. It cannot show paths on which all permissions were removed: those are simply absent. */
export class Permissions {
  readonly #paths: Map<string, Map<string, boolean>>;

  constructor(answer: z.infer<typeof Answer>) {
    this.#paths = new Map(
      Object.entries(answer).map(([path, privileges]) => [
        path,
        new Map(Object.entries(privileges).map(([name, propagates]) => [name, Number(propagates) === 1])),
      ]),
    );
  }

  /** Nothing at all is granted: what a token with separated privileges and no permissions of its own has. */
  get isEmpty(): boolean {
    return [...this.#paths.values()].every((privileges) => privileges.size === 0);
  }

  /** Whether the privilege is granted on the path itself. */
  has(privilege: string, path: string): boolean {
    return this.#privilege(privilege, path) !== undefined;
  }

  /** Whether it is granted on the path and, as far as can be known, everywhere below. */
  hasBelow(privilege: string, path: string): boolean {
    if (this.#privilege(privilege, path) !== true) return false;
    const prefix = path === '/' ? '/' : `${path}/`;
    return [...this.#paths].every(([other, privileges]) => !other.startsWith(prefix) || privileges.has(privilege));
  }

  /** Paths on which the privilege is granted, shortest first. */
  pathsWith(privilege: string): string[] {
    const paths = [...this.#paths].filter(([, privileges]) => privileges.has(privilege)).map(([path]) => path);
    return paths.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  }

  /** true: here and below; false: here only; undefined: not granted. */
  #privilege(privilege: string, path: string): boolean | undefined {
    const own = this.#paths.get(path);
    if (own || path === '/' || ALWAYS_REPORTED.has(path)) return own?.get(privilege);
    const parent = path.slice(0, path.lastIndexOf('/')) || '/';
    return this.#privilege(privilege, parent) === true ? true : undefined;
  }
}

/** Asks what the token may do. @throws ProviderError */
export async function readPermissions(client: PveClient, options: GetOptions = {}): Promise<Permissions> {
  const { data } = await client.get(apiPath`/access/permissions`, options);
  return new Permissions(parseObject('permissions', Answer, data ?? {}));
}
