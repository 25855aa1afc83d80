import { browserSession } from '@/lib/browser-session';
import type { ApiCall } from '@/lib/curl-command';

export type SentAnswer = { status: number; milliseconds: number; type: string; text: string; shortened: boolean };

/** More than this of an answer is not kept: a stream has no end. */
const MAX_CHARACTERS = 200_000;
const MAX_SECONDS = 30;

/** Reads an answer until it is over, too long, or takes too long. */
async function readLimited(response: Response): Promise<{ text: string; shortened: boolean }> {
  const reader = response.body?.getReader();
  if (!reader) return { text: '', shortened: false };
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), shortened: false };
    text += decoder.decode(value, { stream: true });
    if (text.length <= MAX_CHARACTERS) continue;
    await reader.cancel();
    return { text: text.slice(0, MAX_CHARACTERS), shortened: true };
  }
}

/** Sends a call as the person who is signed in. @throws TypeError or DOMException when there is no answer */
export async function sendCall({ method, path, body, headers }: ApiCall, signal: AbortSignal): Promise<SentAnswer> {
  const started = performance.now();
  const response = await browserSession().authFetch(`/api/v1${path}`, {
    method,
    cache: 'no-store',
    signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_SECONDS * 1000)]),
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body ?? null,
  });
  const { text, shortened } = await readLimited(response);
  const type = response.headers.get('content-type') ?? '';
  const milliseconds = Math.round(performance.now() - started);
  return { status: response.status, milliseconds, type, text: pretty(text, type, shortened), shortened };
}

function pretty(text: string, type: string, shortened: boolean): string {
  if (shortened || !/json/.test(type)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
