/** A failure as the API reports it: HTTP status, text of the status line and `message`, optional text per parameter. */
export class PveError extends Error {
  readonly status: number;
  readonly errors: Record<string, string> | undefined;

  constructor(status: number, message: string, errors?: Record<string, string>) {
    super(message);
    this.name = 'PveError';
    this.status = status;
    this.errors = errors;
  }
}

/** 400 with a text per parameter. */
export const parameterError = (errors: Record<string, string>): PveError =>
  new PveError(400, 'Parameter verification failed.', errors);

/** 403; `privileges` are alternatives. */
export const permissionError = (path: string, privileges: readonly string[]): PveError =>
  new PveError(403, `Permission check failed (${path}, ${privileges.join('|')})`);
