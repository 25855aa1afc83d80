import { constants } from 'node:os';

/** Symbolic name of an error number on this machine, such as `EPERM`. */
export function errnoName(number: number): string {
  const found = Object.entries(constants.errno).find(([, value]) => value === number);
  return found?.[0] ?? `errno ${number}`;
}

/** A failed system call: which one, and why. */
export class SystemCallError extends Error {
  readonly number: number;
  constructor(call: string, number: number) {
    super(`${call}: ${errnoName(number)}`);
    this.name = 'SystemCallError';
    this.number = number;
  }
}

/** The code of an error from Node's own system calls, such as `ENOENT`; undefined for other errors. */
export function errnoCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
