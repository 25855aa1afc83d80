import { AppError } from '../lib/errors';
import { MAX_BODY_BYTES } from './define-route';

/** Bytes of the request, refused as soon as they exceed `limit`; what a header claims is checked first. */
export async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new AppError(
      'too_large',
      `The request body is larger than ${limit} bytes${limit === MAX_BODY_BYTES ? ' (16 MB)' : ''}. Send less.`,
    );
  const declared = Number(request.headers.get('content-length') ?? '0');
  if (declared > limit) throw tooLarge();
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > limit) {
      await reader.cancel().catch(() => undefined);
      throw tooLarge();
    }
    chunks.push(value);
  }
  return Buffer.concat(chunks);
}

/**
 * The request's JSON. `undefined` when there is no body.
 * @throws AppError `unsupported_media_type`, `too_large`, `malformed`
 */
export async function readJson(request: Request, limit: number): Promise<unknown> {
  const bytes = await readBytes(request, limit);
  if (bytes.byteLength === 0) return undefined;
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json' && !type?.endsWith('+json')) {
    throw new AppError('unsupported_media_type', 'Send the body as application/json.');
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new AppError('malformed', 'The body is not valid JSON.', {
      cause,
      errors: [{ field: 'body', message: 'Send one JSON value in UTF-8.' }],
    });
  }
}
