import { existsSync, mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Browser, chromium, expect, type Page } from '@playwright/test';
import type postgres from 'postgres';
import { DRIFT_KINDS } from '@/domain/change/drift-kinds';
import { CHANGE_STATES } from '@/domain/change/states';
import { CONFLICT_KINDS, ESCAPE_REASONS, SIGHTING_SOURCES } from '@/domain/choices';
import { HYGIENE_KINDS } from '@/domain/hygiene/kinds';
import { NAVIGATION } from '@/features/shell/navigation';
import { getPageCall, PAGE_CALLS } from '@/features/shell/page-calls';
import { ACTIONS, SETTINGS } from '@/features/shell/settings-commands';
import { expectBar } from './stats';
import { startTopologyEnvironment } from './topology-environment';

/*
 * Every page of the console with 0, 1 or 5,000 rows, at 1440 and 390 px, light and dark, with the production build:
 *   npx tsx packages/bench/page-sweep.ts [rows] [parts of paths, by commas]        (default 5000, all pages)
 * Pictures are in test-results/page-sweep-<rows>. The bar: no console error, and no page that scrolls sideways,
 * hangs, or is still loading after ten seconds.
 */
const rows = Number(process.argv[2] ?? 5_000);
const only = (process.argv[3] ?? '').split(',');
const folder = `test-results/page-sweep-${rows}`;
const WINDOWS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;
const THEMES = ['dark', 'light'] as const;
const SETTLED_MS = 10_000;
const PAUSE_MS = 300;
/** A page that does not answer for so long is left, with a note. */
const HANGS_MS = 60_000;
const executablePath = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path && existsSync(path),
);

/** As many of everything else that has a list. */
async function fillLists(sql: postgres.TransactionSql, count: number): Promise<void> {
  // Each for one workload, as many policies would be.
  const definition = `jsonb_build_object('enforcement_mode', 'audit', 'direction', 'in', 'sources', jsonb_build_array('any'),
    'targets', jsonb_build_array('vmid:bench-' || (1 + i % 2) || '/' || (1000 + i)))`;
  const each = (insert: string, select: string) =>
    sql.unsafe(`${insert} select gen_random_uuid(), ${select} from generate_series(1, ${count}) i`);
  await each(`insert into security_groups (id, name, description)`, `'group-' || i, 'Workloads of application ' || i`);
  await each(`insert into policies (id, name, tier, definition)`, `'Policy ' || i, 'platform_first', ${definition}`);
  await each(
    `insert into policy_tests (id, name, expect, "from", "to", protocol)`,
    `'test-' || i, 'deny', '{any}', '{10.0.0.0/8}', 'tcp'`,
  );
  const named = `'{"kind": "policy_delete"}'::jsonb || jsonb_build_object('policy_id', id, 'name', name, 'base_version', 1,
    'tenant_id', null, 'project_id', null, 'before', jsonb_build_object('name', name, 'description', description, 'enabled', enabled,
      'tier', tier, 'tenant_visibility', tenant_visibility, 'priority', priority, 'definition', definition, 'rules', '[]'::jsonb, 'version', 1))`;
  // In every state by turns.
  const state = `(array['${CHANGE_STATES.join("','")}'])[1 + row_number() over (order by id) % ${CHANGE_STATES.length}]`;
  await sql.unsafe(`insert into changes (id, title, items, content_hash, confirm_within_seconds, waves, on_failure,
      rollback_on_failed_check, created_by_name, state, confirm_until)
    select gen_random_uuid(), 'Delete ' || name, jsonb_build_array(${named}), md5(name), 600,
      '{"canaries": null, "pause_seconds": null}', 'stop', false, 'admin', ${state}, now() + interval '1 hour' from policies`);
  await sql`insert into change_owners (id, change_id) select gen_random_uuid(), id from changes`;
  const kind = `(array['${DRIFT_KINDS.join("','")}'])[1 + i % ${DRIFT_KINDS.length}]`;
  await sql.unsafe(`insert into drifts (id, policy_id, workload_id, kind, subject_key, subject, desired, last_applied, live, live_hash)
    select gen_random_uuid(), p.id, w.id, ${kind}, 'rule', 'Rule ' || (1 + i % 20), rule, rule, rule || ',8443', md5(rule)
    from (select id, row_number() over (order by name) as i from policies) as p
      join (select id, row_number() over (order by name) as i from workloads) as w using (i)
      cross join (select 'IN ACCEPT -source 10.0.0.0/8 -p tcp -dport 443') as r (rule)`);
  // Findings about the rules of policies, of every kind by turns.
  const finding = `(array['${HYGIENE_KINDS.join("','")}'])[1 + i % ${HYGIENE_KINDS.length}]`;
  await sql.unsafe(`insert into hygiene_findings (id, key, kind, score, policy_id, policy_version, rule_position, subject, workloads_affected,
      workloads_total, detail)
    select gen_random_uuid(), 'bench ' || i, ${finding}, i % 100, id, 1, i % 20, 'in accept tcp 443 from any', 1 + i % 7, 7, '{}'
    from (select id, row_number() over (order by name) as i from policies) as p`);
  await each(`insert into users (id, email, name)`, `'user-' || i || '@example.org', 'User ' || i`);
  await each(
    `insert into notification_rules (id, name, conditions, open_after_minutes, close_after_minutes)`,
    `'rule-' || i, '{sync_failed}', 5, 10`,
  );
  for (const [table, name] of [
    ['tenants', 'tenant-'],
    ['roles', 'role_'],
  ]) {
    const title = table === 'roles' ? [', title', `, 'Role ' || i`] : ['', ''];
    await each(`insert into ${table} (id, name${title[0]})`, `'${name}' || i${title[1]}`);
  }
  await sql`insert into projects (id, tenant_id, name)
    select gen_random_uuid(), id, 'main' from tenants where name like 'tenant-%'`;
  await sql`insert into mapping_rules (id, source, value, project_id, priority)
    select gen_random_uuid(), 'tag', 'tag-' || row_number() over (), id, 1000 from projects`;
  await sql`insert into nodes (id, cluster_id, name, status)
    select gen_random_uuid(), id, 'pve-' || i, 'online' from (select id from clusters order by name limit 1) c
      cross join generate_series(1, ${count}) i`;
}

/** Conversations of the last day, those that escaped, what sources say about addresses, and what contradicts it. */
async function fillEvidence(sql: postgres.TransactionSql, count: number): Promise<void> {
  await sql`create temporary table guest as
    select row_number() over (order by w.vmid) as i, w.id, w.cluster_id, w.project_id, a.id as address_id, a.address, a.network_id, s.cidr
    from workloads as w join ip_addresses as a on a.workload_id = w.id join subnets as s on s.id = a.subnet_id`;
  await sql`create unique index on guest (i)`;
  await sql`analyze guest`;
  await sql`insert into traffic_conversations (id, conversation_key, ordinal, cluster_id, client_ip, server_ip, protocol, client_port,
      server_port, service_port, is_client_known, client_workload_id, server_workload_id, client_cidr, server_cidr, bytes, packets,
      client_bytes, client_packets, server_bytes, server_packets, action, decision, is_closed, node_ids, first_seen_at, last_seen_at,
      created_at, updated_at)
    select gen_random_uuid(), gen_random_uuid(), 0, c.cluster_id, c.address, s.address, 'tcp', 40000 + c.i % 20000, p.port, p.port, true,
      c.id, s.id, c.cidr, s.cidr, 1100 * c.i, 20, 100 * c.i, 10, 1000 * c.i, 10,
      (array['allowed', 'dropped', 'unknown'])[1 + c.i % 3], case when c.i % 3 = 1 then 'drop' else 'observed' end, c.i % 2 = 0, '{}',
      t.seen - interval '5 minutes', t.seen, t.seen, t.seen
    from guest as c join guest as s on s.i = 1 + c.i * 7 % ${count}::int
      cross join lateral (select (array[443, 5432, 22, 8080, 53])[1 + c.i % 5] as port) as p
      cross join lateral (select now() - make_interval(secs => c.i % 3600) as seen) as t`;
  const reason = `(array['${ESCAPE_REASONS.join("','")}'])[1 + g.i % ${ESCAPE_REASONS.length}]`;
  await sql.unsafe(`insert into escaped_conversations (id, workload_id, project_id, nic, direction, client_ip, client_port, server_ip,
      server_port, protocol, reason, broken_link, broken_detail, log_accepted, denied_by, peer_workload_id, filter_hash, start_known, watched_since,
      first_seen_at, last_seen_at, found_at)
    select gen_random_uuid(), g.id, g.project_id, 0, case when g.i % 5 = 0 then 'out' else 'in' end, p.address, 40000 + g.i % 20000, g.address,
      (array[443, 5432, 22, 8080, 53])[1 + g.i % 5], 'tcp', ${reason}, 'firewall_bridge', 'bridge_missing', false,
      case when g.i % 2 = 0 then 'Default policy DROP' else 'Rule ' || g.i % 20 end, p.id, 'hash', true, now(), now() - interval '1 day',
      now() - make_interval(secs => g.i::int), now()
    from guest as g join guest as p on p.i = 1 + g.i * 7 % ${count}`);
  const kind = `(array['${CONFLICT_KINDS.join("','")}'])[1 + g.i % ${CONFLICT_KINDS.length}]`;
  await sql.unsafe(`insert into ipam_conflicts (id, cluster_id, kind, key, ip_address_id, network_id, address, workload_id, interface_name,
      other_workload_id, other_interface_name, other_mac, mac, other_source, reason, began_at, evidence_at)
    select gen_random_uuid(), g.cluster_id, k.kind, 'bench ' || g.i, g.address_id, g.network_id, g.address, g.id, 'net0', o.id, 'net0',
      'bc:24:11:00:00:01', 'bc:24:11:00:00:01', 'traffic', case when k.kind = 'spoofed_address' then 'held' end, now() - interval '2 days', now()
    from guest as g join guest as o on o.i = 1 + g.i * 7 % ${count} cross join lateral (select ${kind} as kind) as k`);
  for (const source of SIGHTING_SOURCES) {
    await sql`insert into address_sightings (id, cluster_id, workload_id, nic, network_id, address, mac, source, seen_on, first_seen_at, last_seen_at)
      select gen_random_uuid(), cluster_id, id, 'net0', network_id, address, 'bc:24:11:00:00:01', ${source}, 'eth0', now() - interval '9 days', now()
      from guest`;
  }
  // Sixty of the groups have members.
  await sql`insert into security_group_members (security_group_id, workload_id)
    select s.id, g.id from (select id, row_number() over (order by name) as n from security_groups limit 60) as s
      join guest as g on g.i % 60 = s.n - 1 and g.i <= 600`;
  await sql`drop table guest`;
}

/** Pages that answer a question, with one: about workloads and their addresses, and between groups. */
async function listQuestions(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<
    { id: string; name: string; address: string }[]
  >`select w.id, w.name, host(a.address) as address from workloads as w
    join ip_addresses as a on a.workload_id = w.id order by w.vmid limit 2`;
  const [one, other] = rows;
  if (!one) return [];
  const to = other ?? one;
  return [
    `/addresses?tab=whose&q=${one.address}`,
    `/reach?from=${one.name}&to=${to.name}`,
    `/reach?tab=workload&workload_id=${to.id}`,
    '/reach?tab=matrix&by=group',
  ];
}

/** Where the first thing of a page about one thing is listed, if not on the page above it. */
const LISTED_AT: Readonly<Record<string, string>> = {
  '/addresses/[addressId]': '/ip-addresses',
  '/addresses/subnets/[subnetId]': '/subnets',
  '/agents/[nodeId]': '/nodes',
};

/** Every page, tab and form; of pages about one thing, the first. */
async function allPages(
  get: (path: string) => Promise<{ items?: { id: string }[] }>,
  questions: readonly string[],
): Promise<string[]> {
  const lists = NAVIGATION.flatMap(({ entries }) => entries.map(({ href }) => href));
  const found = [...lists, ...SETTINGS.map(({ href }) => href), ...ACTIONS.map(({ href }) => href)];
  const listTabs = (page: string) => PAGE_CALLS.tabs.filter(([of]) => of === page).map(([, tab]) => `?tab=${tab}`);
  for (const [pattern] of PAGE_CALLS.pages) {
    if (!pattern.includes('[')) continue;
    const above = pattern.slice(0, pattern.indexOf('/['));
    const list = LISTED_AT[pattern] ?? getPageCall(above, new URLSearchParams(), Date.now());
    const [first] = (list && (await get(list)).items) || [];
    if (first) for (const tab of ['', ...listTabs(pattern)]) found.push(pattern.replace(/\[\w+\]/, first.id) + tab);
  }
  const apart = ['/login', '/account', '/coverage/hygiene', '/policies/recertification'];
  return [...new Set([...apart, ...found, ...questions])].filter((path) => only.some((part) => path.includes(part)));
}

async function visitPage(page: Page, path: string, name: string): Promise<string[]> {
  await page.goto(path);
  await page.locator('h1').first().waitFor({ state: 'attached' });
  // The mark of a state in which something happens pulses as long as it lasts.
  const loading = page.locator('[aria-busy="true"], .animate-pulse:not(svg)').first();
  const settled = await expect(async () => {
    await expect(loading).toHaveCount(0);
    // Parts of a page begin to load one after another.
    await page.waitForTimeout(PAUSE_MS);
    await expect(loading).toHaveCount(0, { timeout: 1 });
  })
    .toPass({ timeout: SETTLED_MS })
    .then(
      () => [],
      () => [`is still loading after ${SETTLED_MS / 1000} s`],
    );
  const sideways = await page.evaluate(() => {
    const width = document.documentElement.scrollWidth - window.innerWidth;
    const over = [...document.querySelectorAll('main *')].filter(
      (one) => one.getBoundingClientRect().right > window.innerWidth,
    );
    // The innermost of the first.
    const [first = null] = over.filter((one) => !over.some((other) => other !== one && one.contains(other)));
    return { width, by: first?.textContent?.slice(0, 60) ?? '' };
  });
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.waitForTimeout(PAUSE_MS);
    // Colors change gradually.
    await page.evaluate(async () => {
      await Promise.allSettled(
        document.getAnimations().flatMap((one) => (one instanceof CSSTransition ? [one.finished] : [])),
      );
    });
    await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png` });
  }
  return [...settled, ...(sideways.width > 0 ? [`scrolls sideways by ${sideways.width} px: "${sideways.by}"`] : [])];
}

type Visit = {
  browser: Browser;
  url: string;
  admin: { email: string; password: string };
  questions: readonly string[];
};

/** @returns what is wrong; it is printed immediately */
async function visitAll(
  { browser, url, admin, questions }: Visit,
  viewport: (typeof WINDOWS)[number],
): Promise<string[]> {
  const context = await browser.newContext({ baseURL: url, viewport });
  const login = await context.request.post('/api/v1/auth/login', { data: admin });
  const { access_token } = (await login.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${access_token}` };
  const settings = (await (await context.request.get('/api/v1/settings', { headers })).json()) as { version: number };
  await context.request.patch('/api/v1/settings', {
    headers,
    data: { policy_recertification_days: 90, version: settings.version },
  });
  const paths = await allPages(
    async (path) =>
      (await context.request.get(`/api/v1${path}${path.includes('?') ? '&' : '?'}limit=1`, { headers })).json(),
    questions,
  );
  const wrong: string[] = [];
  let at = '';
  const note = (text: string) => {
    console.log(`${at} at ${viewport.width} px: ${text}`);
    wrong.push(text);
  };
  const openPage = async () => {
    const page = await context.newPage();
    page.on('pageerror', (error) => note(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) note(message.text());
    });
    return page;
  };
  let page = await openPage();
  for (const path of paths) {
    at = path;
    const name =
      path
        .slice(1)
        .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'first')
        .replaceAll(/\W+/g, '-') || 'dashboard';
    const visit = visitPage(page, path, `${name}-${viewport.width}`).catch(({ message }: Error) => [message]);
    const found = await Promise.race([visit, delay(HANGS_MS, null, { ref: false })]);
    for (const text of found ?? [`hangs for ${HANGS_MS / 1000} s`]) note(text);
    if (found) continue;
    // Its process does not answer, also not to the request to close it.
    void page.close().catch(() => undefined);
    page = await openPage();
  }
  console.log(`${paths.length} pages at ${viewport.width} px`);
  await context.close();
  return wrong;
}

const environment = await startTopologyEnvironment(rows, Math.min(rows, 1_500), rows > 1 ? 20_000 : 0);
const { sqlClient } = await import('@/server/db/client');
const browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu'] });
try {
  mkdirSync(folder, { recursive: true });
  if (rows > 0) {
    await sqlClient().begin(async (sql) => {
      await sql`set local statement_timeout = 0`;
      await fillLists(sql, rows);
      await fillEvidence(sql, rows);
    });
    await sqlClient()`analyze`;
  }
  const questions = await listQuestions(sqlClient());
  const wrong: string[] = [];
  for (const viewport of WINDOWS) wrong.push(...(await visitAll({ browser, questions, ...environment }, viewport)));
  expectBar('no console error and no page that scrolls sideways, hangs or does not come', wrong.length === 0);
} finally {
  await browser.close();
  await environment.stop();
}
