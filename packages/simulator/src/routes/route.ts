import type { Caller } from '../access/sign-in';
import { permissionError } from '../pve-error';
import type { ParamSpecs, Params } from '../schema/param-spec';
import type { ClusterState } from '../state/cluster-state';
import type { PveNode } from '../state/node';

/** One API call as its handler sees it. */
export type Call = {
  cluster: ClusterState;
  /** The node that executes the call. */
  node: PveNode;
  caller: Caller;
  /** Path, query and body parameters, verified. */
  params: Params;
};

/** A handler's answer with extra envelope fields. Plain values are wrapped by `reply`. */
export class Reply {
  readonly data: unknown;
  readonly extra: { total?: number; changes?: string };

  constructor(data: unknown, extra: { total?: number; changes?: string } = {}) {
    this.data = data;
    this.extra = extra;
  }
}

export type Permission = {
  /** Path with `{name}` placeholders. */
  path: string;
  /** One of these privileges; a function where releases differ. */
  anyOf: readonly string[] | ((major: 8 | 9) => readonly string[]);
};

export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below `/api2/json` with `{name}` placeholders; `{name+}` takes the rest of the path. */
  pattern: string;
  params: ParamSpecs;
  /** Absent: any authenticated caller, the handler filters. `root` refuses every token. */
  permission?: Permission | 'root';
  /** Executed by the node named in the path; other nodes forward. */
  proxied: boolean;
  /** Process that executes it. */
  handledBy: 'pveproxy' | 'pvedaemon';
  /** Extra label of the load meter. */
  meter?: 'agent' | 'firewall-write';
  handle(call: Call): unknown;
};

export const mayAccess = (call: Call, path: string, anyOf: readonly string[]): boolean =>
  call.cluster.access.allows(call.caller.subject, path, anyOf);

/** 403 unless the caller holds one of the privileges. */
export function requireAccess(call: Call, path: string, anyOf: readonly string[]): void {
  if (!mayAccess(call, path, anyOf)) throw permissionError(path, anyOf);
}

/** A verified numeric parameter. */
export const numberParam = (call: Call, name: string): number => Number(call.params[name]);

/** A verified parameter that is known to be present. */
export const textParam = (call: Call, name: string): string => call.params[name] ?? '';
