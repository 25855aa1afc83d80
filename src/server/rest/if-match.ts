import { AppError } from '../lib/errors';

/**
 * The version that `If-Match` asks for, from `"3"`, `W/"3"` or `3`; undefined without the header or for `*`.
 * @throws AppError `malformed` when it is none of ours
 */
export function ifMatchVersion(request: Request): number | undefined {
  const header = request.headers.get('if-match')?.trim();
  if (!header || header === '*') return undefined;
  const version = /^(?:W\/)?"?(\d{1,9})"?$/.exec(header)?.[1];
  if (version === undefined) {
    throw new AppError('malformed', 'The If-Match header is not a version of this resource.', {
      errors: [{ field: 'If-Match', message: 'Send the version that you read, for example "3".' }],
    });
  }
  return Number(version);
}
