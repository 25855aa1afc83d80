import {
  type ChangeDifference,
  type ChangeDifferenceInput,
  compareLiveRules,
  MAX_LISTED_DIFFERENCES,
} from '@/domain/change/difference';
import { EDITABLE_STATES } from '@/domain/change/states';
import { effectiveOptions } from '@/domain/firewall/guest-options';
import { toLiveRuleView } from '@/domain/firewall/rule-view';
import type { GuestSnapshot } from '@/domain/firewall/snapshot';
import { isWithinReach, type Reach } from '@/domain/permissions';
import { parseMarker } from '@/domain/policy/marker';
import { switchChanges } from '@/domain/policy/plan/switch-changes';
import type { Scope } from '../../../auth/scope';
import { db, type Executor } from '../../../db/client';
import { AppError } from '../../../lib/errors';
import { notFound } from '../../../lib/refusals';
import { ruleNamer } from '../../guest-firewall/named-rules';
import { toGuestFilter } from '../../guest-firewall/read-guest-live';
import { redactChanges } from '../../guest-firewall/redact-state';
import { type ChangeRow, findChange } from '../../queries/changes';
import type { InputWorkload } from '../../queries/policy-inputs';
import { type CompiledChange, compileChange } from './compile-change';
import { compileFresh } from './compile-fresh';

type Listed = ChangeDifference['workloads'][number];

const toNamed = ({ id, vmid, name }: InputWorkload) => ({ workload_id: id, vmid, name });

/** Rules and switches of a workload before and after; null: nothing of them differs. */
function compareStates(
  { change: { after }, logs }: CompiledChange,
  workload: InputWorkload,
  [was, is]: readonly [GuestSnapshot, GuestSnapshot],
): Omit<Listed, 'workload_id' | 'vmid' | 'name'> | null {
  const [old, fresh] = [toGuestFilter(was), toGuestFilter(is)];
  if (!old || !fresh) return null;
  const { instance } = after.inputs;
  const { added, removed, moved } = compareLiveRules(old.rules, fresh.rules);
  const option_changes = switchChanges(old, fresh);
  if (added.length + removed.length + moved.length + option_changes.length === 0) return null;
  const view = (rule: (typeof added)[number]) => toLiveRuleView(rule, instance, workload.vmid);
  const logged = new Set(
    logs
      .filter(({ workload_id }) => workload_id === workload.id)
      .flatMap(({ policy_id, rule_hashes }) => rule_hashes.map((hash) => `${policy_id} ${hash}`)),
  );
  const viewAdded = (rule: (typeof added)[number]) => {
    const shown = view(rule);
    const isLogged = logged.has(`${shown.policy_id} ${shown.rule_hash}`);
    // Where a rule comes to be is known when it is written.
    return { ...shown, position: null, ...(isLogged && { temporary_log: true }) };
  };
  const left = new Set(fresh.rules.map(({ comment }) => parseMarker(comment)?.policy_id));
  const isReplaced = ({ comment }: (typeof removed)[number]) => left.has(parseMarker(comment)?.policy_id);
  return {
    changes: {
      added: added.map(viewAdded),
      removed: removed.map((rule) => ({ ...view(rule), reason: isReplaced(rule) ? 'outdated_version' : 'leftover' })),
      moved: moved.map(view),
    },
    option_changes,
    mac_filter:
      option_changes.some(({ kind, name }) => name === 'enable' || kind === 'nic_flag') &&
      effectiveOptions(fresh.options).macfilter,
  };
}

/**
 * A change that is not applied yet, if it is visible.
 * @throws AppError `not_found`; `conflict` after it was applied: its record has what was written
 */
export async function findApplicableChange(executor: Executor, reach: Reach, id: string): Promise<ChangeRow> {
  const row = await findChange(executor, reach, id);
  if (!row) throw notFound('change');
  if (EDITABLE_STATES.some((one) => one === row.state)) return row;
  throw new AppError('conflict', 'The change was applied already. Its record contains what was written.', {
    extra: { reason: 'wrong_state', change_id: id, state: row.state },
  });
}

/** What a compiled change does at each workload, as far as it is visible. */
export function describeChangeDifference(
  compiled: CompiledChange,
  reach: Reach,
  log_new_rules: ChangeDifference['log_new_rules'] = null,
): { difference: ChangeDifference; isWhole: boolean } {
  const { change, workload_ids } = compiled;
  const difference: ChangeDifference = {
    workloads: [],
    log_new_rules,
    totals: { workloads: 0, added: 0, removed: 0, moved: 0, option_changes: 0 },
    unreadable: [],
    hidden_workloads: 0,
    fingerprint: null,
  };
  const concerned = workload_ids
    .flatMap((workload_id) => compiled.firewall.inputs.workloads.get(workload_id) ?? [])
    .sort((a, b) => a.vmid - b.vmid || (a.id < b.id ? -1 : 1));
  for (const workload of concerned) {
    const states = [change.before, change.after].flatMap(
      ({ snapshots }) => snapshots.guests.get(workload.id)?.state ?? [],
    );
    const [was, is] = states;
    const found = was && is && change.changed.has(workload.id) ? compareStates(compiled, workload, [was, is]) : null;
    const isUnreadable = change.unreadable.has(workload.id);
    if (!found && !isUnreadable) continue;
    if (!isWithinReach(workload, reach)) {
      difference.hidden_workloads += 1;
      continue;
    }
    if (!found) {
      difference.unreadable.push(toNamed(workload));
      continue;
    }
    const { totals } = difference;
    totals.workloads += 1;
    totals.added += found.changes.added.length;
    totals.removed += found.changes.removed.length;
    totals.moved += found.changes.moved.length;
    totals.option_changes += found.option_changes.length;
    if (difference.workloads.length >= MAX_LISTED_DIFFERENCES) continue;
    const namer = ruleNamer(change.after.inputs, reach, workload);
    const { kept: _, ...changes } = redactChanges({ ...found.changes, kept: [] }, namer);
    difference.workloads.push({ ...toNamed(workload), ...found, changes });
  }
  return { difference, isWhole: concerned.every((workload) => isWithinReach(workload, reach)) };
}

/**
 * What a change that is not applied yet would do at each workload, by what was last read there and as far as it is visible.
 * With `refresh`, the workloads are read first.
 * @throws AppError `not_found`; `conflict` after it was applied: its record has what was written
 */
export async function readDifference(
  scope: Scope<'policy:read'>,
  id: string,
  { refresh }: ChangeDifferenceInput,
): Promise<ChangeDifference> {
  const row = await findApplicableChange(db, scope.reach, id);
  const { log_new_rules } = row;
  const fresh = refresh ? await compileFresh(row.items, { log_new_rules }) : null;
  const compiled = fresh?.compiled ?? (await compileChange(row.items, { log_new_rules }));
  const { difference, isWhole } = describeChangeDifference(compiled, scope.reach, log_new_rules);
  return { ...difference, fingerprint: isWhole ? (fresh?.fingerprint ?? null) : null };
}
