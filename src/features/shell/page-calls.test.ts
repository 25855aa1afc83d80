import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { paths } from '@/lib/paths';
import { routes } from '@/server/rest/routes';
import { WITHOUT_CALL } from './copy-as-curl';
import { getPageCall, PAGE_CALLS } from './page-calls';

/** Tabs whose call is that of their page, or which have none. */
const WITHOUT_CALL_OF_ITS_OWN = [
  'account security',
  'account tokens',
  'jobs queues',
  'policy preview',
  'subnet prefixes',
];

const ID = '01980000-0000-7000-8000-000000000001';
const found = (pathname: string, query = '') => getPageCall(pathname, new URLSearchParams(query), NOW);

const NOW = Date.parse('2026-11-26T12:00:00Z');
const ALL = [...PAGE_CALLS.pages, ...PAGE_CALLS.tabs.map(([page, , ...call]) => [page, ...call] as const)];
const parseNames = (takes = '') => takes.split(',').filter(Boolean);

/** What a call takes in its query; null where there is no such call. */
function findQueryFields(call: string): string[] | null {
  const path = call.split('?')[0];
  const route = routes.find((one) => one.method === 'GET' && one.path.replace(/\{\w+\}/, '{}') === path);
  if (!route) return null;
  const schema = route.query && (z.toJSONSchema(route.query, { io: 'input' }) as { properties?: object });
  return Object.keys(schema?.properties ?? {});
}

/** Parameters that no page has, and those that the page has in another form. */
const NOT_TAKEN = /^(limit|cursor|format|fresh|suspicious_limit|include_\w+|timer|traffic|group_by|verdict|tightness)$/;

describe('the call behind a page', () => {
  it('exists for every page of the console, or has a reason why not', () => {
    const root = fileURLToPath(new URL('../../app/(console)', import.meta.url));
    const pages = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => /(^|\/)page\.tsx$/.test(file))
      .map((file) => `/${file.replace(/\/?page\.tsx$/, '')}`);
    const known = new Set([...PAGE_CALLS.pages.map(([page]) => page), ...WITHOUT_CALL]);
    expect(
      pages
        .filter((page) => !known.has(page))
        .map((page) => `${page}: add its call to page-calls.ts, or say here why it has none`),
    ).toEqual([]);
    expect([...known].filter((page) => !pages.includes(page))).toEqual([]);
  });

  it('exists and takes the parameters', () => {
    const wrong: string[] = [];
    for (const [page, call, takes] of ALL) {
      const fields = findQueryFields(call);
      if (fields === null) wrong.push(`${page}: there is no GET ${call}`);
      const fixed = new URLSearchParams(call.split('?')[1]).keys();
      const unknown = [...parseNames(takes), ...fixed].filter((name) => name !== 'range' && !fields?.includes(name));
      wrong.push(...unknown.map((name) => `${call} takes no ${name}`));
      if (page.includes('[') !== call.includes('{}')) wrong.push(`${page} and ${call} differ in parameters`);
    }
    expect(wrong).toEqual([]);
  });

  it('gets every parameter that it takes', () => {
    const missing: string[] = [];
    for (const [page, call, takes] of ALL) {
      const given = new Set(parseNames(takes));
      for (const name of findQueryFields(call) ?? [])
        if (!given.has(name) && !NOT_TAKEN.test(name)) missing.push(`${page}: ${name}`);
    }
    expect(missing).toEqual([]);
  });

  it('has an entry for every tab, or a reason for none', () => {
    const root = fileURLToPath(new URL('..', import.meta.url));
    const tabs: string[] = [];
    for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      const source = file.endsWith('.tsx') ? readFileSync(`${root}/${file}`, 'utf8') : '';
      const [, page = '', id] =
        /useUrlTab\(TABS, \(tab\) => paths\.(\w+)\(\{ (?:(\w+): [\w.]+, )?tab(?:, \w+)? \}\)/.exec(source) ?? [];
      if (page === '') continue;
      const hrefOf = paths[page as keyof typeof paths] as (query: object) => string;
      const { 1: named = '' } = /const TABS = \[(.*?)\] as const/.exec(source) ?? [];
      for (const { 1: tab } of [...named.matchAll(/'(\w+)'/g)].slice(1)) {
        const [pathname = '', query] = hrefOf({ ...(id && { [id]: ID }), tab }).split('?');
        if (found(pathname, query) === found(pathname)) tabs.push(`${page} ${tab}`);
      }
    }
    expect(tabs.filter((tab) => !WITHOUT_CALL_OF_ITS_OWN.includes(tab))).toEqual([]);
    expect(WITHOUT_CALL_OF_ITS_OWN.filter((tab) => !tabs.includes(tab))).toEqual([]);
  });

  it('carries over the id and what narrows the list, and nothing else', () => {
    expect(found('/workloads', 'q=web&status=running&add=true&tag=')).toBe('/workloads?q=web&status=running');
    expect(found(`/workloads/${ID}`, 'tab=firewall&q=x')).toBe(`/workloads/${ID}/firewall`);
    expect(found('/addresses/import')).toBe(null);
    expect(found('/addresses', 'tab=addresses&state=active')).toBe('/ip-addresses?state=active');
    expect(found(`/policies/${ID}/edit`)).toBe(`/policies/${ID}`);
    expect(found('/login')).toBe(null);
  });

  it('has the filters of a tab, within the thing of the page', () => {
    expect(found(`/clusters/${ID}`, 'tab=nodes&status=online')).toBe(`/nodes?cluster_id=${ID}&status=online`);
    expect(found('/workloads', 'protection=unprotected&protection_reason=no_rules')).toBe(
      '/workloads?protection=unprotected&protection_reason=no_rules',
    );
  });

  it('names conversations where the page of flows lists them', () => {
    expect(found('/flows', 'filter=port+%3D+443')).toBe('/conversations?q=port+%3D+443');
    expect(found('/flows', 'view=flows&filter=port+%3D+443')).toBe('/flows?filter=port+%3D+443');
    expect(found('/flows', `conversation_id=${ID}`)).toBe(`/flows?conversation_id=${ID}`);
  });

  it('asks for a span as times that end now', () => {
    const day = 'since=2026-11-25T12%3A00%3A00.000Z&until=2026-11-26T12%3A00%3A00.000Z';
    expect(found('/flows', 'view=flows&range=24h&port=443')).toBe(`/flows?port=443&${day}`);
    expect(found('/flows', 'range=24h&group=service')).toBe(`/flows/groups?${day}&group_by=service`);
    expect(found(`/workloads/${ID}`, 'tab=traffic&range=24h')).toBe(`/workloads/${ID}/insights?${day}`);
    expect(found('/flows')).toBe('/conversations');
    expect(found('/audit', 'until=2026-11-25T12:00:00Z')).toBe('/audit?until=2026-11-25T12%3A00%3A00Z');
  });

  it('groups the map as the page does, without the results that are hidden', () => {
    expect(found('/topology', 'group=tag&tag=web&view=matrix')).toBe('/topology?tag=web&group_by=tag');
    expect(found('/topology', `workload_id=${ID}`)).toBe(`/topology?workload_id=${ID}&group_by=auto&expand=all`);
    expect(found('/topology', 'hide=observed,default')).toBe(
      '/topology?group_by=auto&verdict=dropped%2Cwould_drop%2Caccepted',
    );
  });
});
