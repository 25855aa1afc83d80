import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import { TransportError } from './transport-error';

/** Bytes of an answer, before and after inflating. */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

const badAnswer = (message: string, remedy: string, detail: { reset?: boolean; cause?: unknown } = {}) =>
  new TransportError(
    'bad_answer',
    message,
    remedy,
    { sent: true, reset: detail.reset ?? false },
    { cause: detail.cause },
  );

const tooLarge = (maxBytes: number) =>
  badAnswer(
    `The response is larger than ${Math.round(maxBytes / 1024 / 1024)} MiB`,
    'This is far more than a cluster returns. Check what answers at this address.',
  );

const truncated = (cause?: unknown) =>
  badAnswer(
    'The response ended before it was complete',
    'Try again. If it persists, check the network and any proxy in between.',
    {
      reset: true,
      cause,
    },
  );

/**
 * Reads an answer completely, inflating gzip.
 * @throws TransportError `bad_answer` when it is truncated, larger than `maxBytes`, or encoded in another way.
 */
export function readBody(response: IncomingMessage, maxBytes = MAX_ANSWER_BYTES): Promise<string> {
  return new Promise((resolve, reject) => {
    const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
    const gunzip = encoding === 'gzip' || encoding === 'x-gzip' ? createGunzip() : null;
    const fail = (error: Error) => {
      response.destroy();
      gunzip?.destroy();
      reject(error);
    };
    if (!gunzip && encoding !== 'identity' && encoding !== '') {
      fail(
        badAnswer(
          `The response has the unsupported encoding ${encoding.slice(0, 40)}`,
          'Connect to the node directly, without a proxy that changes the encoding of responses.',
        ),
      );
      return;
    }
    const chunks: Buffer[] = [];
    let received = 0;
    let inflated = 0;
    response.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > maxBytes) fail(tooLarge(maxBytes));
    });
    response.on('error', (error) => fail(truncated(error)));
    response.on('close', () => {
      if (!response.complete) fail(truncated());
    });
    const source = gunzip ? response.pipe(gunzip) : response;
    gunzip?.on('error', (error) =>
      fail(
        badAnswer(
          'The response is not valid gzip',
          'Connect to the node directly, without a proxy that changes the encoding of responses.',
          { cause: error },
        ),
      ),
    );
    source.on('data', (chunk: Buffer) => {
      inflated += chunk.length;
      if (inflated > maxBytes) fail(tooLarge(maxBytes));
      else chunks.push(chunk);
    });
    source.on('end', () => {
      if (response.complete) resolve(Buffer.concat(chunks).toString('utf8'));
    });
  });
}
