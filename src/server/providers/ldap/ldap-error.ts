import { UpstreamError } from '../../lib/errors';

/**
 * A directory that could not be asked. `unreachable`, `tls`: no server answers as it should, others may; `bind`: Fabric's own
 * account was refused; `query`: a filter or base is wrong; `ambiguous`: more than one account fits.
 */
export class LdapError extends UpstreamError {
  readonly timedOut = false;

  constructor(
    readonly reason: 'unreachable' | 'tls' | 'bind' | 'query' | 'ambiguous',
    message: string,
    readonly remedy: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'LdapError';
  }
}
