import { setTimeout as sleep } from 'node:timers/promises';
import { ReportError, UsageError } from '../command';

/** A request as `fetch` takes it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Variables of the environment. */
export type Variables = Readonly<Record<string, string | undefined>>;

export type FieldProblem = { readonly field: string; readonly message: string };
type Problem = { detail?: string; title?: string; errors?: FieldProblem[]; reason?: string; request_id?: string };

/** The service refused a request, or could not be reached. */
export class ApiError extends ReportError {
  constructor(
    message: string,
    readonly status: number | null = null,
    readonly problem: Problem = {},
  ) {
    const fields = (problem.errors ?? []).map((one) => `  ${one.field}: ${one.message}`);
    super([message, ...fields].join('\n'));
  }
}

type Method = 'GET' | 'POST';

/** Requests that were refused because others were under way are sent again so many times. */
const MAX_RETRIES = 10;

/** The API of an installation, with the permissions of a token. */
export class Api {
  readonly #base: string;
  readonly #token: string;
  readonly #fetch: Fetch;

  constructor(url: string, token: string, fetcher: Fetch) {
    this.#base = url.replace(/\/+$/, '');
    this.#token = token;
    this.#fetch = fetcher;
  }

  /** The address of a page. */
  page(path: string): string {
    return `${this.#base}${path}`;
  }

  async #send(method: Method, path: string, body?: object): Promise<Response> {
    const url = `${this.#base}/api/v1${path}`;
    const headers = { authorization: `Bearer ${this.#token}`, accept: 'application/json' };
    const sent = body && { body: JSON.stringify(body), headers: { ...headers, 'content-type': 'application/json' } };
    try {
      return await this.#fetch(url, { method, headers, ...sent });
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ApiError(`Cannot reach ${this.#base} (${reason}). Check FABRIC_URL, and NODE_EXTRA_CA_CERTS for TLS.`);
    }
  }

  /** @throws ApiError what was refused, and why */
  async call<T>(method: Method, path: string, body?: object): Promise<T> {
    for (let tries = 0; ; tries++) {
      const response = await this.#send(method, path, body);
      const text = await response.text();
      if (response.status === 429 && tries < MAX_RETRIES) {
        await sleep(1_000 * Math.min(60, Number(response.headers.get('retry-after')) || 1));
        continue;
      }
      const json = parseJson(text);
      if (response.ok && json !== undefined) return json as T;
      const problem = (typeof json === 'object' && json !== null ? json : {}) as Problem;
      const detail = problem.detail ?? problem.title;
      throw new ApiError(
        detail ?? `${this.#base} does not answer as Fabric does (status ${response.status}). Check FABRIC_URL.`,
        response.status,
        problem,
      );
    }
  }

  /** All items of a list, page by page. */
  async list<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T[]> {
    const items: T[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const params = new URLSearchParams({ ...query, limit: '500', ...(cursor !== '' && { cursor }) });
      const page: { items: T[]; next_cursor: string | null } = await this.call('GET', `${path}?${params}`);
      items.push(...page.items);
      cursor = page.next_cursor;
    }
    return items;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @throws UsageError without the two variables */
export function connect(env: Variables, fetcher: Fetch): Api {
  const { FABRIC_URL: url = '', FABRIC_TOKEN: token = '' } = env;
  if (!/^https?:\/\/[^/]/.test(url)) {
    throw new UsageError('Set FABRIC_URL to the address of Fabric, such as https://fabric.example.org.');
  }
  if (token === '') throw new UsageError('Set FABRIC_TOKEN to an API token. Create one at Account › Tokens.');
  return new Api(url, token, fetcher);
}
