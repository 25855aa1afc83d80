/** One call of the REST API. `path` starts below `/api/v1`, with its query. */
export type ApiCall = { method: string; path: string; body?: string; headers?: Record<string, string> };

/** A text as one word of a POSIX shell. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * The call as a command for a shell. The token is read from `FABRIC_TOKEN`, so that none ends up in a history.
 * @param origin `https://fabric.example.org`
 */
export function curlCommand({ method, path, body, headers = {} }: ApiCall, origin: string): string {
  const lines = ['curl --silent --show-error', '-H "Authorization: Bearer $FABRIC_TOKEN"'];
  if (method !== 'GET') lines.push(`-X ${method}`);
  if (body !== undefined) lines.push("-H 'Content-Type: application/json'");
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${shellQuote(`${name}: ${value}`)}`);
  if (body !== undefined) lines.push(`--data-raw ${shellQuote(body)}`);
  lines.push(shellQuote(`${origin}/api/v1${path}`));
  return lines.join(' \\\n  ');
}
