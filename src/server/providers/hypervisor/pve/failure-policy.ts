import { ProviderError } from '../errors';
import { AnswerError } from './errors/classify';
import type { HttpMethod } from './http/exchange';
import { TransportError } from './http/transport-error';

/** What a call is, as far as its failures are concerned. */
export type CallFacts = {
  method: HttpMethod;
  /** The node that the entry node forwards to, if it does. */
  node?: string | undefined;
};

const isForwardFailure = (error: unknown): error is AnswerError =>
  error instanceof AnswerError && error.code === 'node_unreachable';

/** The target node of the call did not answer, whichever node was asked. */
export const blamesNode = (error: unknown, { node }: CallFacts): boolean =>
  node !== undefined &&
  (isForwardFailure(error) || (error instanceof TransportError && error.code === 'timeout' && error.sent));

/** The entry node itself did not answer. */
export function blamesEntry(error: unknown, facts: CallFacts): boolean {
  if (blamesNode(error, facts)) return false;
  // Without a target node it is the entry's own root daemon that it could not reach.
  if (isForwardFailure(error)) return true;
  return error instanceof TransportError && (error.code === 'unreachable' || error.code === 'timeout' || error.reset);
}

/** A read that may succeed when it is simply repeated on the same node. */
export const isTransient = (error: unknown): boolean =>
  (error instanceof TransportError && error.reset) || (error instanceof AnswerError && error.passing);

/** Whether another entry node may be asked instead: nothing was changed and the fault is this entry's. */
export function mayRotate(error: unknown, facts: CallFacts): boolean {
  const unchanged = facts.method === 'GET' || (error instanceof TransportError && !error.sent);
  const ownFault =
    blamesEntry(error, facts) || (error instanceof AnswerError && error.passing && error.code === 'server_error');
  return unchanged && ownFault;
}

/**
 * Whether a write may have been carried out although its answer is an error: everything but a refusal of the API, or a
 * connection that never stood.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof TransportError) return error.sent;
  if (isForwardFailure(error)) {
    const { status, providerMessage = '' } = error.detail;
    return status !== 500 && !(status === 595 && /refused|no route/i.test(providerMessage));
  }
  return error instanceof ProviderError && error.code === 'bad_answer';
}
