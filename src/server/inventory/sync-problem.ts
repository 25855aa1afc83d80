/** A reason of our own to stop a sync: what is wrong, and what the administrator can do. */
export class SyncProblem extends Error {
  readonly code: string;
  readonly remedy: string;

  constructor(code: string, message: string, remedy: string) {
    super(message);
    this.name = 'SyncProblem';
    this.code = code;
    this.remedy = remedy;
  }
}
