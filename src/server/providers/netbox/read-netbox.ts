import { setTimeout as wait } from 'node:timers/promises';
import { NetboxPage } from '@/domain/netbox/objects';
import { AppError } from '../../lib/errors';
import type { AddressGuard } from '../net/address-guard';
import { type GuardedAnswer, getGuarded, NoAnswerError } from '../net/guarded-get';

export type NetboxAccess = {
  url: string;
  token: string;
  ca: string | null;
  guard: AddressGuard;
  signal: AbortSignal;
  /** Waits between attempts; replaced by tests. */
  pause?: (ms: number, signal: AbortSignal) => Promise<unknown>;
};

export type NetboxFilter = { tenant: string | null; tag: string | null };
type Path = 'ipam/prefixes' | 'ipam/ip-addresses';

/** The most that NetBox returns in one answer by default. */
const PAGE_OBJECTS = 1000;
/** Of prefixes and addresses each; what is larger is read in parts, by tenant or tag. */
export const MAX_NETBOX_OBJECTS = 20_000;
const MAX_PAGE_BYTES = 32 * 2 ** 20;
const PAGE_MS = 60_000;
const READ_MS = 5 * 60_000;
const ATTEMPTS = 4;
const MAX_WAIT_SECONDS = 60;
const TEMPORARY = new Set([408, 425, 429, 500, 502, 503, 504]);

const fail = (message: string, cause?: unknown) => new AppError('upstream', message, { cause });

/** A token of the second kind names its key; both are sent as NetBox describes them. */
const toAuthorization = (token: string) => (token.startsWith('nbt_') ? `Bearer ${token}` : `Token ${token}`);

/** What an answer other than 200 means, and what to do about it. */
function explainStatus(status: number, url: URL): string {
  const what = `NetBox at ${url.origin} returned ${status} for ${url.pathname}`;
  if (status === 401) return `${what}: the token is unknown or has expired. Enter a valid token in the source.`;
  if (status === 403)
    return `${what}: the token is not accepted or may not read this. Check the token, its allowed addresses, and the permission to view prefixes and IP addresses.`;
  if (status === 404) return `${what}: no NetBox API there. Enter the URL of NetBox without /api.`;
  if (status === 400)
    return `${what}: a filter is not accepted. Check the tenant and the tag of the source; both are slugs.`;
  if (status === 429) return `${what}: too many requests. Try again later.`;
  if (status >= 300 && status < 400) return `${what}, a redirect. Enter the URL that it leads to.`;
  return `${what}. Check NetBox and try again.`;
}

const toWaitMs = (retryAfter: string | null, attempt: number): number => {
  const asked = retryAfter !== null && /^\d{1,6}$/.test(retryAfter.trim()) ? Number(retryAfter) : null;
  return Math.min(asked ?? 2 ** attempt, MAX_WAIT_SECONDS) * 1000;
};

/** Gets one page; what may only be down for a moment is tried again. @throws AppError `upstream` */
async function getAnswer(access: NetboxAccess, url: URL): Promise<string> {
  const { token, ca, guard, signal, pause = (ms, during) => wait(ms, undefined, { signal: during }) } = access;
  const headers = {
    accept: 'application/json',
    authorization: toAuthorization(token),
    'user-agent': 'Fabric-NetBox/1',
  };
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt === ATTEMPTS - 1;
    let answer: GuardedAnswer | null = null;
    try {
      answer = await getGuarded({ url, headers, guard, ca, signal, timeoutMs: PAGE_MS, maxBytes: MAX_PAGE_BYTES });
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      if (!error.retry || isLast)
        throw fail(
          `Cannot read NetBox: ${error.message}. Check the URL, the certificate authorities of the source, and the network.`,
          error,
        );
    }
    if (answer?.status === 200) return answer.body;
    if (answer && (isLast || !TEMPORARY.has(answer.status))) throw fail(explainStatus(answer.status, url));
    await pause(toWaitMs(answer?.retryAfter ?? null, attempt), signal);
  }
}

function parsePage(body: string, url: URL) {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch (cause) {
    throw fail(
      `NetBox at ${url.origin} answered ${url.pathname} with incomplete or invalid JSON. Check that the URL is that of NetBox, and try again.`,
      cause,
    );
  }
  const page = NetboxPage.safeParse(json);
  if (page.success) return page.data;
  const [issue] = page.error.issues;
  throw fail(
    `NetBox at ${url.origin} answered ${url.pathname} with JSON of another form (${issue?.path.join('.') || 'answer'}: ${issue?.message}). Check that the URL is that of NetBox.`,
  );
}

const findId = (raw: unknown): number => {
  const id = (raw as { id?: unknown } | null)?.id;
  return typeof id === 'number' && Number.isInteger(id) ? id : 0;
};

/**
 * All objects of one kind, in the order of their ids. Each page begins after the last id: objects that are added or deleted while it reads
 * do not shift the others.
 */
async function listObjects(access: NetboxAccess, path: Path, filter: NetboxFilter, onRead: (count: number) => void) {
  const objects: unknown[] = [];
  for (let after = 0; ; ) {
    const url = new URL(`${access.url}/api/${path}/`);
    url.searchParams.set('limit', String(PAGE_OBJECTS));
    url.searchParams.set('ordering', 'id');
    if (after > 0) url.searchParams.set('id__gt', String(after));
    if (filter.tenant !== null) url.searchParams.set('tenant', filter.tenant);
    if (filter.tag !== null) url.searchParams.set('tag', filter.tag);
    const page = parsePage(await getAnswer(access, url), url);
    objects.push(...page.results);
    onRead(page.results.length);
    if (objects.length > MAX_NETBOX_OBJECTS)
      throw fail(
        `NetBox has more than ${MAX_NETBOX_OBJECTS} objects at ${url.pathname}. Restrict the source to a tenant or a tag.`,
      );
    if (page.results.length === 0 || !page.next) return objects;
    const last = Math.max(...page.results.map(findId));
    if (last <= after)
      throw fail(`NetBox at ${url.origin} does not continue after ID ${after} of ${url.pathname}. Check its version.`);
    after = last;
  }
}

/**
 * Reads all prefixes and addresses that the filter matches, as NetBox sent them.
 * @throws AppError `upstream` naming the cause and the remedy; the reason of `signal` when it aborts
 */
export async function readNetbox(
  access: NetboxAccess,
  filter: NetboxFilter,
  onRead: (count: number) => void,
): Promise<{ prefix: unknown[]; address: unknown[] }> {
  const limit = AbortSignal.timeout(READ_MS);
  const given = { ...access, signal: AbortSignal.any([access.signal, limit]) };
  try {
    const prefix = await listObjects(given, 'ipam/prefixes', filter, onRead);
    return { prefix, address: await listObjects(given, 'ipam/ip-addresses', filter, onRead) };
  } catch (error) {
    if (limit.aborted && !access.signal.aborted)
      throw fail(
        `Reading NetBox took more than ${READ_MS / 60_000} minutes. Restrict the source to a tenant or a tag.`,
        error,
      );
    throw error;
  }
}
