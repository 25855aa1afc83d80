import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

export type Answer = { status: number; reason: string; body: string; contentType?: string };

const JSON_TYPE = 'application/json;charset=UTF-8';

/** One line of Latin-1, which is all a status line can carry. */
const reasonPhrase = (text: string): string =>
  Buffer.from(
    Array.from(text.split('\n')[0] ?? '', (character) =>
      character < ' ' || character === '\u007f' ? ' ' : character,
    ).join(''),
  ).toString('latin1');

/** `{data}` of a success. */
export const successAnswer = (data: unknown, extra: { total?: number; changes?: string } = {}): Answer => ({
  status: 200,
  reason: 'OK',
  body: JSON.stringify({ data: data ?? null, ...extra }),
  contentType: JSON_TYPE,
});

/** Failure raised by API code: `data: null`, and what the release reports about the reason. */
export const failureAnswer = (
  status: number,
  message: string,
  errors: Record<string, string> | undefined,
  messageInBody: boolean,
): Answer => ({
  status,
  reason: message,
  body: JSON.stringify({ data: null, ...(messageInBody && { message: `${message}\n` }), ...(errors && { errors }) }),
  contentType: JSON_TYPE,
});

/** Failure raised before API code runs: only a status line. */
export const bareAnswer = (status: number, reason: string): Answer => ({ status, reason, body: '' });

const shouldCompress = (accepted: string | undefined) => /(?:^|[,\s])gzip(?:$|[,;\s])/i.test(accepted ?? '');

export type SendOptions = {
  acceptEncoding: string | undefined;
  /** Announce the full length, send only this many bytes, then cut the connection. */
  truncateAt?: number;
  /** The worker retires after this answer. */
  closeAfter?: boolean;
};

/** Writes an answer; every status of 400 and above ends the connection. */
export function sendAnswer(response: ServerResponse, answer: Answer, options: SendOptions): void {
  if (response.destroyed || response.headersSent) return;
  const compressed = Buffer.byteLength(answer.body) > 1024 && shouldCompress(options.acceptEncoding);
  const bytes = compressed ? gzipSync(answer.body) : Buffer.from(answer.body);
  response.setHeader('Server', 'pve-api-daemon/3.0');
  response.setHeader('Cache-Control', 'max-age=0');
  response.setHeader('Pragma', 'no-cache');
  if (answer.contentType) response.setHeader('Content-Type', answer.contentType);
  if (compressed) response.setHeader('Content-Encoding', 'gzip');
  response.setHeader('Content-Length', bytes.length);
  if (answer.status >= 400 || options.closeAfter) {
    response.setHeader('Connection', 'close');
    response.shouldKeepAlive = false;
  }
  response.writeHead(answer.status, reasonPhrase(answer.reason));
  if (options.truncateAt === undefined) {
    response.end(bytes);
    return;
  }
  response.write(bytes.subarray(0, options.truncateAt), () => response.destroy());
}
