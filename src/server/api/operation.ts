import type { TRPCMutationProcedure, TRPCQueryProcedure } from '@trpc/server';
import { z } from 'zod';
import type { AtOneTime } from '@/domain/as-of';
import { MAX_INTEGER } from '@/domain/list';
import type { Grantable } from '@/domain/permissions';
import type { Sharing } from '../admission/shared-answers';
import type { OpenScope, PersonSession, Scope, Session } from '../auth/scope';
import { answerAt } from '../history/history';
import type { ErrorCode } from '../lib/errors';
import type { Method } from '../rest/define-route';
import { builderFor } from './trpc';

/** Who may call: holders of a permission, any signed-in user, or a user in person (no API token); the last two say why. */
export type CallAccess =
  | { permission: Grantable }
  | { signedIn: string; enrolling?: true }
  | { person: string; enrolling?: true };

type Shape = z.ZodType | undefined;
type ObjectShape = z.ZodObject | undefined;

/** Names of the parameters in a path: `project_id` of `GET /projects/{project_id}`. */
type NamesIn<R extends string> = R extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type FirstIn<R extends string> = R extends `${string}{${infer Name}}${string}` ? Name : never;
type ParamsOf<R extends string, P extends ObjectShape> = P extends z.ZodObject
  ? z.output<P>
  : { [Name in NamesIn<R>]: string };
type Names = Readonly<Record<string, string>>;

/** What pages send: the first parameter of the path as `id`, others by their names unless the operation says another, and the input. */
type Sent<R extends string, P extends ObjectShape, I extends Shape, N extends Names> = ([NamesIn<R>] extends [never]
  ? unknown
  : {
      [Name in keyof ParamsOf<R, P> as Name extends keyof N
        ? N[Name]
        : Name extends FirstIn<R>
          ? 'id'
          : Name]: ParamsOf<R, P>[Name];
    }) &
  (I extends z.ZodType ? z.input<I> : unknown);
type SentOrNothing<R extends string, P extends ObjectShape, I extends Shape, N extends Names> = [
  NamesIn<R>,
  I,
] extends [never, undefined]
  ? // biome-ignore lint/suspicious/noConfusingVoidType: how tRPC's clients know a call without input
    void
  : Sent<R, P, I, N>;

/** One call, from whichever surface it came. */
export type Call<A extends CallAccess, R extends string, P extends ObjectShape, I extends Shape> = {
  /** Evidence of the permission; for calls on the user's own account, only the user and the origin. */
  scope: A extends { permission: infer G extends Grantable } ? Scope<G> : OpenScope;
  session: A extends { person: string } ? PersonSession : Session;
  /** Path parameters. */
  params: ParamsOf<R, P>;
  /** Without `as_of`: what the operation reads is what was then. */
  input: I extends z.ZodType ? AtOneTime<z.output<I>> : undefined;
  /** The address under which the caller reached the service. @throws AppError `malformed` */
  baseUrl: () => string;
};

type RowOf<O extends Shape> = O extends z.ZodType<{ items: readonly (infer Row)[] }> ? keyof Row & string : never;
export type PageOfFile = { limit: number; cursor?: string };

/**
 * A list that `format=csv` answers as a whole: name of the file, the fields of its rows, and the rows where they are not those of the list, by
 * the page or, where rows change their place in the list all the time, in batches of one state.
 */
type CsvFile<C, O extends Shape> =
  | { name: string; columns: readonly RowOf<O>[]; rows?: undefined; batches?: undefined }
  | {
      name: string;
      columns: readonly string[];
      rows?: undefined;
      batches: (call: C) => AsyncIterable<readonly object[]>;
    }
  | {
      name: string;
      columns: readonly string[];
      rows: (call: C, page: PageOfFile) => Promise<{ items: readonly object[]; next_cursor: string | null }>;
      batches?: undefined;
    };

/** How an operation is called over REST. */
type OverRest<C, R extends string, O extends Shape> = {
  /** Method and path below `/api/v1`: `GET /projects/{project_id}`. Without it only pages call the operation. */
  rest: R;
  /** One sentence for the API document. */
  summary: string;
  /** Where the area is not that of the others beside it. */
  tag?: string;
  /** The answer. Without it the answer is 204. */
  output?: O;
  /** Success status, where it is not 200: something was created, or the work continues. */
  status?: 201 | 202;
  /** Errors that do not follow from who may call it and what it takes. */
  problems?: readonly ErrorCode[];
  /** The body may be left out. */
  bodyOptional?: boolean;
  /** Bytes accepted, at most 16 MB; default 1 MB. */
  maxBodyBytes?: number;
  gzip?: boolean;
  csv?: CsvFile<C, O>;
  /**
   * Where REST takes or answers more than pages do: further fields of the query, what is answered (a Response, too), and what an answer has
   * that comes with 200 when the work is finished.
   */
  respond?: {
    query?: z.ZodObject;
    finished?: z.ZodType;
    answer: (call: C, query: RestQuery, request: Request) => Promise<unknown>;
  };
  malformedExtra?: (
    scope: ScopeOf<C>,
    path: Readonly<Record<string, string>>,
  ) => Promise<Record<string, unknown> | null>;
};
type RestQuery = Readonly<Record<string, string | undefined>>;
type ScopeOf<C> = C extends { scope: infer S } ? S : never;
type OnlyPages = { [K in keyof OverRest<unknown, '', undefined>]?: undefined };

type Declared<A extends CallAccess, P extends ObjectShape, I extends Shape, N extends Names> = {
  access: A;
  /** All path parameters, where they are not UUIDs only. */
  params?: P;
  /** What is sent besides: the query of GET and DELETE, else the JSON body. A `version` may come as If-Match, too. */
  input?: I;
  /** Names that pages use for parameters of the path. */
  onPages?: N;
  /** Pages of people who may see the same and ask the same within some seconds get one answer, unless something changed. */
  shared?: Sharing;
};

/** An operation as tables of it hold them, whatever its types. */
export type Operation = Declared<CallAccess, ObjectShape, Shape, Names> & {
  tag: string;
  // biome-ignore lint/suspicious/noExplicitAny: the table holds operations of every shape; their declaration was checked
  run: (call: any) => Promise<unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: as above
} & (OverRest<any, string, Shape> | OnlyPages);

/** Method, path and the schema of its parameters of an operation with a REST address. */
export function parseRestAddress(operation: { rest: string; params?: ObjectShape }) {
  const [method, path] = operation.rest.split(' ') as [Method, `/${string}`];
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const params = operation.params ?? z.object(Object.fromEntries(names.map((name) => [name, z.uuid()])));
  return { method, path, names, params: names.length > 0 ? params : undefined };
}

const NO_INPUT = z.strictObject({});

/** What pages call a parameter of the path. */
const toPageParam = ({ onPages }: Operation, names: readonly string[], name: string) =>
  onPages?.[name] ?? (name === names[0] ? 'id' : name);

/** The schemas of what a page sends: parameters by the names that pages use, and the input. */
export function listSentSchemas(operation: Operation): z.ZodType[] {
  const { names = [], params } = operation.rest === undefined ? {} : parseRestAddress(operation);
  const renamed = Object.entries(params?.shape ?? {}).map(([name, schema]) => [
    toPageParam(operation, names, name),
    schema,
  ]);
  return [...(params ? [z.object(Object.fromEntries(renamed))] : []), ...(operation.input ? [operation.input] : [])];
}

/** Reads what a page sends into parameters and input; reports every wrong field. @throws ZodError */
function createSentParser(operation: Operation): ((sent: unknown) => { params: unknown; input: unknown }) | null {
  const { names = [], params } = operation.rest === undefined ? {} : parseRestAddress(operation);
  const { input } = operation;
  if (!params && !input) return null;
  const toPageKey = (name: string) => toPageParam(operation, names, name);
  return (sent) => {
    const { ...rest } = z.record(z.string(), z.unknown()).parse(sent ?? {});
    const path: Record<string, unknown> = {};
    for (const name of names) {
      const key = toPageKey(name);
      path[name] = rest[key];
      delete rest[key];
    }
    const inPath = params?.safeParse(path);
    const inInput = (input ?? NO_INPUT).safeParse(rest);
    const asSent = (issue: z.core.$ZodIssue) => ({ ...issue, path: issue.path.map((at) => toPageKey(String(at))) });
    const issues = [...(inPath?.error?.issues ?? []).map(asSent), ...(inInput.error?.issues ?? [])];
    if (issues.length > 0) throw new z.ZodRealError(issues);
    return { params: inPath?.data ?? {}, input: input ? inInput.data : undefined };
  };
}

type Run = Operation['run'];

/** The same for the time that a call asks about, instead of now. */
const answerAsOf =
  (run: Run): Run =>
  (call: { input: { as_of?: string } }, ...rest: []) => {
    const { as_of, ...input } = call.input;
    return answerAt(as_of, () => run({ ...call, input }, ...rest));
  };

/** An operation whose input has `as_of` answers about the past, over both surfaces and in its file. */
function withPast(operation: Operation): Operation {
  if (!('as_of' in ((operation.input as Partial<z.ZodObject> | undefined)?.shape ?? {}))) return operation;
  const { csv, run } = operation;
  const answered = { ...operation, run: answerAsOf(run) } as Operation;
  return csv?.rows ? ({ ...answered, csv: { ...csv, rows: answerAsOf(csv.rows as Run) } } as Operation) : answered;
}

function build(kind: 'query' | 'mutation', declared: Operation): never {
  const operation = kind === 'query' ? withPast(declared) : declared;
  const read = createSentParser(operation);
  const base = builderFor(operation);
  const builder = read === null ? base : base.input(read);
  const { run } = operation;
  const resolve = ({ ctx, input }: { ctx: object; input?: unknown }) =>
    run({ ...ctx, params: {}, input: undefined, ...(input as object | undefined) });
  return builder[kind](resolve) as never;
}

type Declare<K extends 'query' | 'mutation'> = <
  const A extends CallAccess,
  T,
  const R extends string = '',
  P extends ObjectShape = undefined,
  I extends Shape = undefined,
  O extends Shape = undefined,
  const N extends Names = Record<never, never>,
>(
  config: Declared<A, P, I, N> & { run: (call: Call<A, R, P, I>) => Promise<T> } & (
      | OverRest<Call<A, R, P, I>, R, O>
      | OnlyPages
    ),
) => K extends 'query'
  ? TRPCQueryProcedure<{ meta: unknown; input: SentOrNothing<R, P, I, N>; output: T }>
  : TRPCMutationProcedure<{ meta: unknown; input: SentOrNothing<R, P, I, N>; output: T }>;

/**
 * Declares operations of one area of the API document, each once: who may call it, its input and output, what it does,
 * and its REST path. Pages, REST handlers, the API document and the permission table are generated from it. A
 * `query` changes nothing, a `mutation` may.
 */
export function operations(tag: string): { query: Declare<'query'>; mutation: Declare<'mutation'> } {
  return {
    query: (config) => build('query', { tag, ...config } as Operation),
    mutation: (config) => build('mutation', { tag, ...config } as Operation),
  };
}

/** The version of something, in a path or a query: as large as the database stores. */
export const versionNumber = z.coerce
  .number<number | string>({ error: 'A version number.' })
  .int()
  .min(1)
  .max(MAX_INTEGER, 'A version number.');

/** For deleting what has versions: the one that was read, unless If-Match says it. */
export const ByVersion = z.strictObject({ version: versionNumber.optional() });

/** A switch in a query. */
export const flag = z.enum(['true', 'false'], { error: 'One of true, false.' }).default('false');

/** For work that continues after the answer: whether to wait for its end. */
export const Waiting = z.strictObject({ wait: flag });
