import { foldText, matchText } from '@/domain/search/match-text';
import {
  parseSearch,
  SEARCH_KINDS,
  type SearchInput,
  type SearchResult,
  type SearchResults,
  type SearchTerms,
} from '@/domain/search/search';
import { authorizeIfGranted, type Session } from '../../auth/scope';
import { findTouching } from '../../enforcement/policies/policies-in-reach';
import { findByIds, findMatches, listNames, type Ranked } from '../queries/search';
import type { SearchReach } from '../queries/search-kinds';

/** Things with a similar name that are offered in place of none. */
const SIMILAR = 10;
/** Shorter texts are similar to too much. */
const LEAST_FOR_SIMILAR = 4;

/** Where a session may find what: exactly what the lists show it. */
async function readSearchReach(session: Session): Promise<SearchReach> {
  const scopes = {
    workloads: authorizeIfGranted(session, 'workload:read'),
    addresses: authorizeIfGranted(session, 'ipam:read'),
    policies: authorizeIfGranted(session, 'policy:read'),
    policyTests: authorizeIfGranted(session, 'policy_test:read'),
    groups: authorizeIfGranted(session, 'group:read'),
    projects: authorizeIfGranted(session, 'project:read'),
    tenants: authorizeIfGranted(session, 'tenant:read'),
    clusters: authorizeIfGranted(session, 'cluster:read'),
    users: authorizeIfGranted(session, 'user:read'),
    roles: authorizeIfGranted(session, 'role:read'),
  };
  const { policies } = scopes;
  return {
    ...(scopes.workloads && { workloads: scopes.workloads.reach }),
    ...(scopes.addresses && { addresses: scopes.addresses.reach }),
    ...(policies && { policies: { reach: policies.reach, touching: await findTouching(policies.reach) } }),
    ...(scopes.policyTests && { policyTests: scopes.policyTests.reach }),
    ...(scopes.groups && { groups: scopes.groups.reach }),
    ...(scopes.projects && { projects: scopes.projects.reach }),
    ...(scopes.tenants && { tenants: scopes.tenants.reach }),
    ...(scopes.clusters && { clusters: true }),
    ...(scopes.users && { users: true }),
    ...(scopes.roles && { roles: true }),
    // As in the account's list of tokens: for a person only.
    ...(session.family_id !== null && { ownTokens: session.user.id }),
  };
}

/** Each thing once, by its best match, best first; of each kind at most `limit`. */
function best(found: readonly Ranked[], limit: number): SearchResult[] {
  const kindOrder = ({ kind }: Ranked) => SEARCH_KINDS.indexOf(kind);
  const sorted = [...found].sort((a, b) => a.rank - b.rank || kindOrder(a) - kindOrder(b));
  const seen = new Set<string>();
  const counts = new Map<string, number>();
  return sorted.flatMap(({ rank: _, ...result }) => {
    const key = `${result.kind} ${result.id} ${result.kind === 'vlan' ? result.name : ''}`;
    const count = counts.get(result.kind) ?? 0;
    if (seen.has(key) || count >= limit) return [];
    seen.add(key);
    counts.set(result.kind, count + 1);
    return [result];
  });
}

/** Things whose names differ by typing errors. Two queries. */
async function findSimilar(meanings: readonly SearchTerms[], within: SearchReach): Promise<SearchResult[]> {
  const asked = meanings
    .map(({ text }) => foldText(text))
    .filter((text) => text.replaceAll(' ', '').length >= LEAST_FOR_SIMILAR);
  if (asked.length === 0) return [];
  const names = await listNames(within);
  const ranks = names
    .flatMap(({ kind, id, name }) => {
      const folded = foldText(name);
      const found = asked.flatMap((text) => matchText(text, folded) ?? []);
      return found.length === 0 ? [] : [{ kind, id, rank: Math.min(...found) }];
    })
    .sort((a, b) => a.rank - b.rank)
    .slice(0, SIMILAR);
  const rankOf = new Map(ranks.map(({ id, rank }) => [id, rank]));
  const found = await findByIds([...rankOf.keys()], within, new Set(ranks.map(({ kind }) => kind)));
  return best(
    found.map((one) => ({ ...one, rank: rankOf.get(one.id) ?? 0 })),
    SIMILAR,
  );
}

/**
 * Everything visible that a text names, best first: by name, VMID, MAC address, IP address, prefix, VLAN or tag; when
 * nothing matches, things with a similar name. Or things by their ids. One query, with similar names three.
 */
export async function search(session: Session, { q = '', recent_ids, limit }: SearchInput): Promise<SearchResults> {
  const within = await readSearchReach(session);
  const meanings = parseSearch(q);
  if (meanings.length === 0) {
    const found = await findByIds(recent_ids ?? [], within);
    const order = (one: Ranked) => recent_ids?.indexOf(one.id) ?? 0;
    return {
      items: best(
        found.map((one) => ({ ...one, rank: order(one) })),
        limit,
      ),
      similar: false,
    };
  }
  const items = best(await findMatches(meanings, within, limit), limit);
  if (items.length > 0) return { items, similar: false };
  const similar = await findSimilar(meanings, within);
  return { items: similar, similar: similar.length > 0 };
}
