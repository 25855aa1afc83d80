import { ProviderError, type ProviderErrorDetail } from '../../errors';
import { providerText } from '../answers/fields';
import { AnswerError, fieldErrors } from '../errors/classify';
import type { RawAnswer } from './exchange';

/** A successful answer of the API. */
export type Envelope = { data: unknown; total: number | null; date: string | null };

const DIRECT = 'Enter the address of a node, for example https://pve1.example.org:8006, without a proxy in between.';

function parseObject(body: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function notTheApi(answer: RawAnswer, what: string, secret: string, detail: ProviderErrorDetail): ProviderError {
  return new ProviderError('bad_answer', what, DIRECT, {
    ...detail,
    status: answer.status,
    providerMessage: providerText(answer.body.slice(0, 300) || answer.statusText, secret),
  });
}

/**
 * Understands an answer.
 * @throws ProviderError: `AnswerError` for what the API says, `bad_answer` for what is not the API's.
 */
export function openEnvelope(answer: RawAnswer, secret: string, detail: ProviderErrorDetail = {}): Envelope {
  const { status } = answer;
  const body = parseObject(answer.body);
  if (status >= 300 && status < 400) {
    const to = answer.location ? ` to ${providerText(answer.location, secret)}` : '';
    throw notTheApi(answer, `The address redirects${to}, and redirects are not followed`, secret, detail);
  }
  const isHtml = /^text\/html/i.test(answer.contentType) || /^\s*<(!doctype|html)/i.test(answer.body);
  if (body === null && isHtml) {
    throw notTheApi(answer, `Received a web page instead of an API response (status ${status})`, secret, detail);
  }
  if (status >= 200 && status < 300) {
    if (!body || !('data' in body)) throw notTheApi(answer, 'The response is not valid API JSON', secret, detail);
    return { data: body.data, total: typeof body.total === 'number' ? body.total : null, date: answer.date };
  }
  // The first line of the message is in the status line; nodes before 2025 send nothing in the body.
  const text = typeof body?.message === 'string' ? body.message : answer.statusText;
  const errors = fieldErrors(body?.errors, secret);
  throw new AnswerError({ status, text: providerText(text, secret), ...(errors && { errors }) }, detail);
}
