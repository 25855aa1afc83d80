import { UpstreamError } from '../../lib/errors';

/** What went wrong between us and a hypervisor; the sync result and the preflight show it under these names. */
export type ProviderErrorCode =
  | 'unreachable' // no TCP connection, DNS failure, refused
  | 'timeout' // connected, but no (complete) answer in time
  | 'tls_untrusted' // certificate neither trusted by a CA nor pinned
  | 'tls_changed' // a fingerprint was pinned and another certificate was shown
  | 'unauthorized' // 401: token wrong, disabled or expired
  | 'forbidden' // 403: a privilege is missing
  | 'not_found' // the object is proved not to exist
  | 'node_unreachable' // 595…599: the contacted node cannot reach the node asked for
  | 'locked' // guest locked, config or cluster lock not obtained
  | 'no_quorum'
  | 'conflict' // digest mismatch
  | 'invalid_parameter' // 400 with field errors
  | 'not_running'
  | 'agent_unavailable'
  | 'bad_answer' // truncated, not JSON, unexpected shape, a reverse proxy's HTML
  | 'server_error' // any other 5xx
  | 'circuit_open' // not tried: the node failed repeatedly a moment ago
  | 'target_refused'; // the address is not allowed by FABRIC_ALLOW_PRIVATE_TARGETS

/** What is known about a failure besides its code; safe to log and to store. */
export type ProviderErrorDetail = {
  cause?: unknown;
  /** HTTP status and the provider's own words (bounded, without secrets). */
  status?: number;
  providerMessage?: string;
  /** For TLS errors: the SHA-256 fingerprint that was shown, `AA:BB:…`. */
  fingerprint?: string;
  /** For tls_changed: the fingerprint that was pinned. */
  expectedFingerprint?: string;
  /** Field errors of an invalid_parameter. */
  errors?: Record<string, string>;
  /** For writes: whether the write may have been carried out although we saw an error. */
  outcomeUnknown?: boolean;
  /** The node or guest concerned. */
  object?: string;
};

/** An error of the hypervisor or the way to it. `message` says what happened, `remedy` what the administrator can do. */
export class ProviderError extends UpstreamError {
  readonly code: ProviderErrorCode;
  readonly remedy: string;
  readonly detail: ProviderErrorDetail;

  constructor(code: ProviderErrorCode, message: string, remedy: string, detail: ProviderErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = 'ProviderError';
    this.code = code;
    this.remedy = remedy;
    this.detail = detail;
  }

  get timedOut(): boolean {
    return this.code === 'timeout';
  }
}

/** The value, or null when it failed in one of these ways; every other failure is rethrown. */
export async function orNull<T>(value: Promise<T>, ...codes: ProviderErrorCode[]): Promise<T | null> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof ProviderError && codes.includes(error.code)) return null;
    throw error;
  }
}
