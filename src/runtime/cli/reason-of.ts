/** What went wrong, for a person at a terminal: of a failed query its cause, without the query and its parameters. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message.startsWith('Failed query') && error.cause !== undefined) return reasonOf(error.cause);
  const { code } = error as { code?: unknown };
  const text = error.message.split('\n')[0] ?? '';
  // A connection that was refused at several addresses has no text of its own.
  return text === '' && typeof code === 'string' ? code : text;
}
