import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PERMISSIONS } from '@/domain/permissions';
import { paths } from '@/lib/paths';
import { NAVIGATION } from './navigation';
import { ACTIONS, SETTINGS } from './settings-commands';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.tsx') && !file.endsWith('.test.tsx'))
  .map((file) => readFileSync(`${root}/${file}`, 'utf8'));
const findMatches = (pattern: RegExp) =>
  sources.flatMap((source) => [...source.matchAll(pattern)].map(({ 1: one = '' }) => one));

const hrefs = [...SETTINGS, ...ACTIONS].map(({ href }) => href);
type Page = (query: { tab: string }) => string;

describe('the places that search finds', () => {
  it('include each tab of a page that needs no id', () => {
    const missing: string[] = [];
    for (const source of sources) {
      const page = /useUrlTab\(TABS, \(tab\) => paths\.(\w+)\(\{ tab \}\)\)/.exec(source)?.[1];
      const tabs = [...(/const TABS = \[(.*?)\] as const/.exec(source)?.[1] ?? '').matchAll(/'(\w+)'/g)];
      // The first tab is the page.
      for (const { 1: tab = '' } of page ? tabs.slice(1) : []) {
        const href = (paths[page as keyof typeof paths] as Page)({ tab });
        if (!hrefs.includes(href)) missing.push(href);
      }
    }
    expect(missing).toEqual([]);
  });

  it('include each number of the settings by its label', () => {
    const form = readFileSync(`${root}/settings/settings-form.tsx`, 'utf8');
    const labels = [
      ...form.matchAll(/<NumberField[^>]*?\slabel=\{t\('([^']+)'\)\}|\binterval=\{t\('([^']+)'\)\}/g),
    ].map((match) => match[1] ?? match[2]);
    expect(labels.length).toBeGreaterThanOrEqual(4);
    expect(labels.filter((label) => !SETTINGS.some((one) => one.label === label))).toEqual([]);
  });

  it('include each form that a link opens, with its permission', () => {
    const permissions = findMatches(/useAdding\('([a-z_:]+)'\)/g);
    expect(permissions.length).toBeGreaterThan(8);
    const offered = ACTIONS.filter(({ href }) => /[?&]add=true/.test(href)).map(({ permission }) => permission);
    expect([...new Set(permissions)].filter((one) => !offered.some((permission) => permission === one))).toEqual([]);
    expect(offered.filter((one) => one && !permissions.includes(one))).toEqual([]);
  });

  it('have ids of their own and known permissions', () => {
    const ids = [...SETTINGS, ...ACTIONS].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { permission } of [...SETTINGS, ...ACTIONS]) if (permission) expect(PERMISSIONS).toContain(permission);
  });

  it('belong to pages that exist', () => {
    const pages = [...NAVIGATION.flatMap(({ entries }) => entries.map(({ label }) => label)), 'Your account'];
    expect([...SETTINGS, ...ACTIONS].filter(({ page }) => !pages.includes(page))).toEqual([]);
  });
});
