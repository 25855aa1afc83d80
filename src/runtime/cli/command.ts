import type { ParseArgsConfig } from 'node:util';

export type Options = NonNullable<ParseArgsConfig['options']>;
export type Values = Record<string, string | boolean | undefined>;

/**
 * Exit status of every command: done; failed, trouble found, or called wrongly; something differs; and how far a change that was
 * applied has come.
 */
export const EXIT = { ok: 0, failed: 1, usage: 1, changes: 2, in_review: 3, rolled_back: 4 } as const;

export type Terminal = {
  /** Results, on standard output. */
  print(line: string): void;
  /** Progress and warnings, on standard error. */
  note(line: string): void;
};

/** One command of the program `fabric`. */
export type Command = {
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** What `--help` prints below the summary. */
  help: string;
  options: Options;
  /** Names of the positional arguments, all required. */
  positionals: readonly string[];
  /** @returns the exit status. @throws UsageError, or an Error whose message is for the person at the terminal */
  run(input: { values: Values; positionals: readonly string[]; terminal: Terminal }): Promise<number>;
};

/** The command was called wrongly. */
export class UsageError extends Error {}

/** What went wrong in several lines, all of them for the person at the terminal. */
export class ReportError extends Error {}

/** An option that takes text. @throws UsageError when it is empty */
export function textOption(values: Values, name: string): string | null {
  const value = values[name];
  if (value === '') throw new UsageError(`--${name} requires a value.`);
  return typeof value === 'string' ? value : null;
}

/** What went wrong, for a person at a terminal: of a failed query its cause, without the query and its parameters. */
export function formatErrorReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message.startsWith('Failed query') && error.cause !== undefined) return formatErrorReason(error.cause);
  const { code } = error as { code?: unknown };
  const text = error instanceof ReportError ? error.message : (error.message.split('\n')[0] ?? '');
  // A connection that was refused at several addresses has no text of its own.
  return text === '' && typeof code === 'string' ? code : text;
}
