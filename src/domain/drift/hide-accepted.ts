import { parseMarker } from '../policy/marker';
import type { GuestView } from '../policy/status';
import type { Difference } from './find-drift';

/**
 * The comparison at a workload as if accepted differences of a policy did not exist, so that they do not affect its
 * status. Others stay as they are, also those of the same kind.
 */
export function hideAccepted(policyId: string, view: GuestView, accepted: readonly Difference[]): GuestView {
  if (accepted.length === 0) return view;
  const has = (kind: Difference['kind'], key: string) =>
    accepted.some((one) => one.kind === kind && one.subject_key === key);
  const rules = new Set(accepted.flatMap((one) => (one.kind === 'shadowed' ? [] : one.rules)));
  const isHash = (kinds: readonly Difference['kind'][], hash: string) => kinds.some((kind) => has(kind, hash));
  const { diff, sets, defaults } = view;
  const isGiven = (rule: { policy_id: string; rule_hash: string }) =>
    rule.policy_id === policyId && isHash(['edited', 'deleted', 'disabled', 'marker_forged'], rule.rule_hash);
  const last = Math.max(0, ...(diff?.kept.map(({ rule }) => rule.pos) ?? []));
  const hiddenSets = new Set(
    accepted.flatMap(({ kind, subject_key }) => (kind === 'set_changed' ? [subject_key] : [])),
  );
  const isOn = (reason: string, nic: number) =>
    reason === 'nic_flag_off'
      ? has('switch_changed', view.nic_names?.[nic] ?? 'net0')
      : has('switch_changed', reason === 'cluster_firewall_off' ? 'cluster' : 'guest');
  return {
    ...view,
    diff: diff && {
      ...diff,
      kept: [
        ...diff.kept,
        ...diff.added.filter(isGiven).map((desired, at) => ({
          desired,
          rule: {
            pos: last + 1 + at,
            type: desired.content.type,
            action: desired.content.action,
            comment: desired.comment,
          },
        })),
      ],
      added: diff.added.filter((rule) => !isGiven(rule)),
      removed: diff.removed.filter(
        ({ rule, policy_id }) => policy_id !== policyId || ![...rules].some((one) => isSameLive(one, rule)),
      ),
      moved: diff.moved.filter(
        ({ desired, reason }) =>
          desired.policy_id !== policyId || !has(reason === 'order' ? 'reordered' : 'shadowed', 'order'),
      ),
    },
    sets: sets && {
      ...sets,
      created: sets.created.filter(({ name }) => !hiddenSets.has(name)),
      changed: sets.changed.filter(({ name }) => !hiddenSets.has(name)),
    },
    enforcement: view.enforcement.map((enforcement, nic) => {
      if (enforcement.status !== 'off') return enforcement;
      const [first, ...rest] = enforcement.reasons.filter((reason) => !isOn(reason, nic));
      return first ? { status: 'off', reasons: [first, ...rest] } : { status: 'on' };
    }),
    defaults: defaults && {
      in: has('default_changed', 'in') ? 'DROP' : defaults.in,
      out: has('default_changed', 'out') ? 'DROP' : defaults.out,
    },
  };
}

const isSameLive = (a: { pos: number; comment?: string }, b: { pos: number; comment?: string }) =>
  a.pos === b.pos && parseMarker(a.comment)?.rule_hash === parseMarker(b.comment)?.rule_hash;
