import { ProviderError, type ProviderErrorCode, type ProviderErrorDetail } from '../../errors';

type Facts = {
  /** Whether a byte of the request may have reached the server. */
  sent: boolean;
  /** The connection broke: asking again may help. */
  reset?: boolean;
};

/** A failure on the way, before there was an answer of the API to classify. */
export class TransportError extends ProviderError {
  readonly sent: boolean;
  readonly reset: boolean;

  constructor(
    code: ProviderErrorCode,
    message: string,
    remedy: string,
    facts: Facts,
    detail: ProviderErrorDetail = {},
  ) {
    super(code, message, remedy, detail);
    this.sent = facts.sent;
    this.reset = facts.reset ?? false;
  }
}
