import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { AppError } from '../lib/errors';
import { MAX_BODY_BYTES } from './define-route';
import { assertStorable } from './storable';

const sizeText = (limit: number) =>
  limit % 1_048_576 === 0 ? `${limit / 1_048_576} MB` : `${Math.round(limit / 1024)} kB`;

const tooLarge = (limit: number) =>
  new AppError(
    'too_large',
    `The request body is larger than the maximum of ${sizeText(limit)}. Send it in smaller parts.`,
  );

/**
 * Refuses a request whose body is larger than anything in the API takes, before anything else is looked at: who calls, the
 * address, the method. What does not say its size is counted while it is read.
 * @throws AppError `too_large`
 */
export function assertBodySize(request: Request): void {
  if (Number(request.headers.get('content-length') ?? '0') > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES);
}

/**
 * Reads the request body and refuses it as soon as it exceeds `limit`. The size claimed by a header is checked first
 * but never trusted.
 * @throws AppError `too_large`; `malformed` when the sender aborts the body
 */
export async function readBytes(request: Request, limit: number): Promise<Buffer> {
  if (Number(request.headers.get('content-length') ?? '0') > limit) throw tooLarge(limit);
  const reader = request.body?.getReader();
  if (!reader) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new AppError('malformed', 'The request body ended before it was complete. Send the request again.', {
        cause,
      });
    });
    if (done) break;
    size += value.byteLength;
    if (size > limit) {
      await reader.cancel().catch(() => undefined);
      throw tooLarge(limit);
    }
    chunks.push(value);
  }
  return Buffer.concat(chunks);
}

const inflate = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip);

/** The body without its content coding; the limit holds for what comes out, too. */
async function decode(bytes: Buffer, coding: string, limit: number, gzip: boolean): Promise<Buffer> {
  if (coding === '' || coding === 'identity') return bytes;
  if (!gzip || (coding !== 'gzip' && coding !== 'x-gzip')) {
    throw new AppError(
      'unsupported_media_type',
      gzip ? 'Send the body uncompressed or with Content-Encoding: gzip.' : 'Send the body without Content-Encoding.',
    );
  }
  try {
    return await inflate(bytes, { maxOutputLength: limit });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit);
    throw new AppError('malformed', 'The body is not valid gzip.', { cause });
  }
}

/** The value without one list, whose items are validated one by one later. */
function omitList(value: unknown, list: string | undefined): unknown {
  if (list === undefined || typeof value !== 'object' || value === null) return value;
  return { ...value, [list]: null };
}

/**
 * The request's JSON, fit to be stored, but for the items of the list `itemwise`. `undefined` when there is no body.
 * @throws AppError `unsupported_media_type`, `too_large`, `malformed`
 */
export async function readJson(request: Request, limit: number, gzip = false, itemwise?: string): Promise<unknown> {
  const coding = (request.headers.get('content-encoding') ?? '').trim().toLowerCase();
  const bytes = await readBytes(request, limit);
  if (bytes.byteLength === 0) return undefined;
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json' && !/^application\/[a-z0-9.-]+\+json$/.test(type ?? '')) {
    throw new AppError('unsupported_media_type', 'Send the body as application/json.');
  }
  const plain = await decode(bytes, coding, limit, gzip);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(plain));
  } catch (cause) {
    throw new AppError('malformed', 'The body is not valid JSON.', {
      cause,
      errors: [{ field: 'body', message: 'Send one JSON value in UTF-8.' }],
    });
  }
  assertStorable(omitList(value, itemwise));
  return value;
}
