type Details = {
  /** Whether it may work later without any user action. */
  retry: boolean;
  /** HTTP or SMTP status of the answer, when there was one. */
  status?: number;
  retryAfterSeconds?: number;
  cause?: unknown;
};

/** A notice could not be handed over; the message is fit for the delivery log and holds nothing of the answer's body. */
export class DeliveryError extends Error {
  readonly retry: boolean;
  readonly status: number | null;
  readonly retryAfterSeconds: number | null;

  constructor(message: string, { retry, status, retryAfterSeconds, cause }: Details) {
    super(message, { cause });
    this.name = 'DeliveryError';
    this.retry = retry;
    this.status = status ?? null;
    this.retryAfterSeconds = retryAfterSeconds ?? null;
  }
}
