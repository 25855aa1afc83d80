import type { z } from 'zod';
import type { Grantable } from '@/domain/permissions';
import type { OpenScope, PersonSession, Scope, Session } from '../auth/scope';
import type { ErrorCode } from '../lib/errors';
import type { AgentScope } from '../traffic/agents/agent-identity';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call: a permission, any signed-in user, a user in person (no API token), the agent of a node, or anyone; all but
 * the first say why. `enrolling` lets users in who still have to set up the second factor that a role of theirs asks for.
 */
export type Access =
  | { permission: Grantable }
  | { signedIn: string; enrolling?: true }
  | { person: string; enrolling?: true }
  | { agent: string }
  | { open: string };

type Shape = z.ZodType | undefined;
type Output<S extends Shape> = S extends z.ZodType ? z.output<S> : undefined;

export type RouteContext<A extends Access, PP extends Shape, Q extends Shape, B extends Shape> = {
  /** Evidence of the permission; the agent and its node; for open and signed-in routes only who and from where. */
  scope: A extends { permission: infer P extends Grantable }
    ? Scope<P>
    : A extends { agent: string }
      ? AgentScope
      : OpenScope;
  session: A extends { open: string } | { agent: string }
    ? Session | null
    : A extends { person: string }
      ? PersonSession
      : Session;
  params: Output<PP>;
  query: Output<Q>;
  body: Output<B>;
  request: Request;
  /** The table that contains the route. */
  routes: readonly Route[];
};

/** What a call answers, as the API document tells it. */
export type RouteResponse = {
  status: 200 | 201 | 202 | 204 | 302 | 304;
  /** Of the JSON answer (none for 204). */
  schema?: z.ZodType;
  /** Type of an answer that is no JSON, such as `text/event-stream`. */
  media?: string;
  /** Further answers of success, with their schema: 200 beside 202 where the caller may wait. */
  also?: readonly { status: 200 | 304; schema?: z.ZodType }[];
  /** Errors that do not follow from who may call it and what it takes. */
  problems?: readonly ErrorCode[];
};

export type RouteConfig<A extends Access, PP extends Shape, Q extends Shape, B extends Shape> = {
  method: Method;
  /** Below `/api/v1`, with `{name}` for parameters: `/clusters/{cluster_id}`. */
  path: `/${string}`;
  /** One sentence for the API document. */
  summary: string;
  tag: string;
  access: A;
  params?: PP;
  query?: Q;
  /** A JSON body; strict objects, so that an unknown field is an error. */
  body?: B;
  /** A body may be left out; the schema then sees `{}`. */
  bodyOptional?: boolean;
  /** Bytes accepted, at most 16 MB; 1 MB by default. */
  maxBodyBytes?: number;
  /** The body may come with Content-Encoding: gzip; the limit holds for what comes out, too. */
  gzip?: boolean;
  /** A list in the body whose items the handler checks one by one: text that cannot be stored fails only its item. */
  itemwise?: string;
  /** Success: status and the schema of the JSON answer (none for 204). A handler may also return a Response. */
  response: RouteResponse;
  /** What an answer to input that cannot be read says besides the fault; `path` has the parameters as they were sent. */
  malformedExtra?: (
    scope: RouteContext<A, PP, Q, B>['scope'],
    path: Readonly<Record<string, string>>,
  ) => Promise<Record<string, unknown> | null>;
  handler: (context: RouteContext<A, PP, Q, B>) => Promise<unknown>;
};

export type Route = {
  method: Method;
  path: string;
  summary: string;
  tag: string;
  access: Access;
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  bodyOptional: boolean;
  maxBodyBytes: number;
  gzip: boolean;
  itemwise?: string;
  response: RouteResponse;
  // biome-ignore lint/suspicious/noExplicitAny: the table holds routes of every shape; defineRoute checked each of them
  malformedExtra?: (scope: any, path: Readonly<Record<string, string>>) => Promise<Record<string, unknown> | null>;
  // biome-ignore lint/suspicious/noExplicitAny: the table holds routes of every shape; defineRoute checked each of them
  handler: (context: any) => Promise<unknown>;
};

export const MAX_BODY_BYTES = 16 * 1024 * 1024;
const DEFAULT_BODY_BYTES = 1024 * 1024;

/**
 * One REST operation as a value: who may call it, what it takes, what it answers. The router runs it, the API document
 * and the authorization matrix are generated from it.
 */
export function defineRoute<
  const A extends Access,
  PP extends Shape = undefined,
  Q extends Shape = undefined,
  B extends Shape = undefined,
>(config: RouteConfig<A, PP, Q, B>): Route {
  return {
    ...config,
    bodyOptional: config.bodyOptional ?? false,
    gzip: config.gzip ?? false,
    maxBodyBytes: Math.min(config.maxBodyBytes ?? DEFAULT_BODY_BYTES, MAX_BODY_BYTES),
  };
}
