import { UpstreamError } from '../../lib/errors';

/** A sign-in provider that could not be asked, or whose answer cannot be believed. */
export class OidcError extends UpstreamError {
  readonly remedy: string;
  readonly timedOut: boolean;
  readonly reason: 'unreachable' | 'refused' | 'invalid';

  constructor(
    reason: OidcError['reason'],
    message: string,
    remedy: string,
    options: { cause?: unknown; timedOut?: boolean } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'OidcError';
    this.reason = reason;
    this.remedy = remedy;
    this.timedOut = options.timedOut ?? false;
  }
}
