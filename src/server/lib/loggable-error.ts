import { toSourceLines } from './source-lines';

const MAX_CAUSES = 5;
const PARAMS = /\nparams: [\s\S]*$/;

type LoggableError = {
  type: string;
  message: string;
  stack?: string;
  code?: string | number;
  query?: string;
  /** Set by PostgreSQL: what was violated. */
  constraint?: string;
  cause?: LoggableError | string;
};

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);

/**
 * An error as the log shows it: type, message, stack, code and its causes. Other properties of foreign errors stay out,
 * and so do the parameters of queries, which the ORM puts into its messages: they hold hashes, tokens and addresses.
 */
export function loggableError(error: unknown, depth = 0): LoggableError | string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : String(error);
  const { code, query, constraint_name, cause } = error as Error & Record<string, unknown>;
  const stack = text(error.stack);
  const frames = stack?.slice(Math.max(stack.indexOf('\n    at '), 0));
  return {
    type: error.name,
    message: error.message.replace(PARAMS, ''),
    ...(frames && { stack: toSourceLines(frames) }),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(text(query) !== undefined && { query: text(query) }),
    ...(text(constraint_name) !== undefined && { constraint: text(constraint_name) }),
    ...(cause !== undefined && depth < MAX_CAUSES && { cause: loggableError(cause, depth + 1) }),
  };
}
