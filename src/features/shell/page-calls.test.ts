import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { routes } from '@/server/rest/routes';
import { callOfPage, PAGE_CALLS } from './page-calls';

/** Pages that show nothing that the API would answer with one call. */
const WITHOUT_CALL: Readonly<Record<string, string>> = {
  '/account': 'several calls about oneself, each with little',
  '/addresses/import': 'a form',
  '/jobs': 'for people only; programs read the metrics',
  '/policies/new': 'a form',
  '/reference': 'it is about the calls',
};

const ID = '01980000-0000-7000-8000-000000000001';
const found = (pathname: string, query = '') => callOfPage(pathname, new URLSearchParams(query));

describe('the call behind a page', () => {
  it('exists for every page of the console, or has a reason why not', () => {
    const root = fileURLToPath(new URL('../../app/(console)', import.meta.url));
    const pages = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => /(^|\/)page\.tsx$/.test(file))
      .map((file) => `/${file.replace(/\/?page\.tsx$/, '')}`);
    const known = new Set([...PAGE_CALLS.pages.map(([page]) => page), ...Object.keys(WITHOUT_CALL)]);
    expect(
      pages
        .filter((page) => !known.has(page))
        .map((page) => `${page}: add its call to page-calls.ts, or say here why it has none`),
    ).toEqual([]);
    expect([...known].filter((page) => !pages.includes(page))).toEqual([]);
  });

  it('exists and takes the parameters', () => {
    const wrong: string[] = [];
    for (const [page, call, query = []] of [
      ...PAGE_CALLS.pages,
      ...PAGE_CALLS.tabs.map(([p, , ...rest]) => [p, ...rest] as const),
    ]) {
      const route = routes.find(({ method, path }) => method === 'GET' && path === call);
      if (!route) {
        wrong.push(`${page}: there is no GET ${call}`);
        continue;
      }
      const fields = route.query
        ? Object.keys((z.toJSONSchema(route.query, { io: 'input' }) as { properties?: object }).properties ?? {})
        : [];
      wrong.push(...query.filter((name) => !fields.includes(name)).map((name) => `${call} takes no ${name}`));
      if ((page.match(/\[/g) ?? []).length !== (call.match(/\{/g) ?? []).length)
        wrong.push(`${page} and ${call} differ in parameters`);
    }
    expect(wrong).toEqual([]);
  });

  it('carries over the id and what narrows the list, and nothing else', () => {
    expect(found('/workloads', 'q=web&status=running&add=true&tag=')).toBe('/workloads?q=web&status=running');
    expect(found(`/workloads/${ID}`, 'tab=firewall&q=x')).toBe(`/workloads/${ID}/firewall`);
    expect(found('/addresses/import')).toBe(null);
    expect(found('/addresses', 'tab=addresses&state=active')).toBe('/ip-addresses?state=active');
    expect(found(`/policies/${ID}/edit`)).toBe(`/policies/${ID}`);
    expect(found('/login')).toBe(null);
  });
});
