import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { RuleRole } from '@/domain/hygiene/analyze-chain';
import type { ChainCache } from '@/domain/hygiene/analyze-guest';
import type { HygieneCheck, NewFinding } from '@/domain/hygiene/finding';
import { db } from '../../db/client';
import { cache } from '../../lib/cache';
import { clock } from '../../lib/clock';
import { processState } from '../../lib/process-state';
import { findSetting, mergeSetting } from '../../settings/queries/settings';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import type { PolicyInputs } from '../policies/policy-inputs';
import { listPolicyTimes, listStoredRules, storeHygiene } from '../queries/hygiene';
import { checkRules, findExpired, findUnresolved, indexRules } from './check-rules';
import { checkUse } from './check-use';

const SETTING = 'hygiene';
const StoredRun = z.object({ checked_at: z.string() });

/** Use changes without anything that is read: it is checked at least this often. */
const USE_EVERY_MS = 15 * 60_000;
type Found = { readonly findings: readonly NewFinding[]; readonly checks: readonly HygieneCheck[] };

/** What the last check of this process was made from. */
type LastCheck = {
  firewall: FirewallState | null;
  use: { readonly at: number; readonly inputs: PolicyInputs; readonly found: Found } | null;
};
const state = processState<LastCheck>(() => ({ firewall: null, use: null }));

/** Roles of chains by what describes a chain: workloads of one group mostly have the same, from check to check. */
const chains = cache<ReadonlyMap<number, RuleRole>, null>({ name: 'hygiene_chains', maxEntries: 20_000 });
const loadChain: ChainCache = (key, make) =>
  chains.load(createHash('sha256').update(key).digest('base64url'), null, make);

/** When the last check ended; null: never. */
export async function readCheckTime(): Promise<string | null> {
  const parsed = StoredRun.safeParse((await findSetting(db, SETTING))?.value);
  return parsed.success ? parsed.data.checked_at : null;
}

/**
 * Checks all rules as they were last read, and stores what is found. Without a change since the last check only the use of rules is
 * checked, every few minutes. No cluster is contacted.
 */
export async function checkHygiene(signal?: AbortSignal): Promise<{ findings: number } | null> {
  const firewall = await readFirewallState();
  const now = clock.now();
  const isUseDue = !state.use || state.use.inputs !== firewall.inputs || now.getTime() - state.use.at >= USE_EVERY_MS;
  if (state.firewall === firewall && !isUseDue) return null;
  const [stored, times] = await Promise.all([listStoredRules(db), listPolicyTimes(db)]);
  const ids = indexRules(stored);
  const rules = await checkRules(firewall, ids, loadChain, signal);
  const use = isUseDue || !state.use ? await checkUse(firewall, ids, times, signal) : state.use.found;
  const findings = [
    ...rules.findings,
    ...findUnresolved(firewall.inputs),
    ...findExpired(firewall.inputs, stored, times, now.getTime()),
    ...use.findings,
  ];
  const at = now.toISOString();
  await db.transaction(async (tx) => {
    await storeHygiene(tx, findings, [...rules.checks, ...use.checks], at);
    await mergeSetting(tx, SETTING, { checked_at: at }, at);
  });
  state.firewall = firewall;
  if (isUseDue) state.use = { at: now.getTime(), inputs: firewall.inputs, found: use };
  return { findings: findings.length };
}
