/** What an error means; each code maps to exactly one HTTP status. */
export const ERROR_STATUS = {
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  version_conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported_media_type: 415,
  refused: 422,
  too_many_requests: 429,
  internal: 500,
  upstream: 502,
  unavailable: 503,
  upstream_timeout: 504,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** One wrong input: where (dotted path, e.g. `cluster.api_url`), what is wrong and what to do. */
export type FieldError = { field: string; message: string };

type Options = {
  cause?: unknown;
  errors?: FieldError[];
  extra?: Record<string, unknown>;
  retryAfterSeconds?: number;
  /** `Set-Cookie` of the answer, for a session that is over. */
  setCookie?: string;
};

/**
 * The only error that carries a message for the caller. `publicMessage` names the remedy and holds no secret;
 * `cause` is logged, never sent. `extra` is merged into the problem body (e.g. `policy_mode`).
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly errors: FieldError[] | undefined;
  readonly extra: Record<string, unknown> | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly setCookie: string | undefined;

  constructor(code: ErrorCode, publicMessage: string, options: Options = {}) {
    super(publicMessage, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.errors = options.errors;
    this.extra = options.extra;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.setCookie = options.setCookie;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/**
 * A fault of a system that this service asks on behalf of a caller; providers throw it. `message` says what happened,
 * `remedy` what can be done; both are fit for the caller.
 */
export abstract class UpstreamError extends Error {
  abstract readonly remedy: string;
  /** Whether it was silence, not a refusal. */
  abstract readonly timedOut: boolean;
}
