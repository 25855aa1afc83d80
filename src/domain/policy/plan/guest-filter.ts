import type { RULE_PLACEMENTS } from '../../choices';
import type { LiveGuestOptions, LiveRule, LiveSetEntry } from '../../firewall/live-state';
import type { DesiredRule, DesiredSet } from '../desired';
import type { TemporaryLog } from '../temporary-log';

/** One interface as far as switching its filter on is concerned. */
export type FilterNic = {
  readonly name: string;
  readonly firewall: boolean;
  /** Whether its flag can be set: not while another change waits for a restart, and not without a bridge. */
  readonly editable: boolean;
  /** It is on no bridge, so nothing can be filtered there. */
  readonly unbridged?: boolean;
};

/** What is configured at one guest, completely read. */
export type GuestFilter = {
  /** In order of evaluation. */
  readonly rules: readonly LiveRule[];
  readonly options: LiveGuestOptions;
  readonly sets: Readonly<Record<string, readonly LiveSetEntry[]>>;
  readonly nics: readonly FilterNic[];
  /** Absent in states stored by older versions. */
  readonly aliases?: Readonly<Record<string, string>>;
};

/** The options that Fabric writes. A value that is undefined is not stored. */
export const SWITCHES = ['enable', 'policy_in', 'policy_out'] as const;
export type Switch = (typeof SWITCHES)[number];
type Policy = 'ACCEPT' | 'DROP' | 'REJECT';
/** Null deletes the option: the hypervisor's own default holds again. */
export type SwitchChanges = {
  readonly enable?: 0 | 1 | null;
  readonly policy_in?: Policy | null;
  readonly policy_out?: Policy | null;
};

/** What Fabric wrote to the switches of a guest, or was about to write when it was interrupted; null: it deleted the option. */
export type WrittenSwitches = {
  readonly options: Readonly<Partial<Record<Switch, readonly (string | number | null)[]>>>;
  /** Interfaces whose firewall flag Fabric set. */
  readonly nics: readonly string[];
  /** Options that someone else had changed before Fabric wrote them again. */
  readonly overwritten: readonly Switch[];
};

/** What is needed to undo what Fabric did to the switches of a guest. */
export type Origin = {
  /** The guest before the first write of the first policy there; null: not known. */
  readonly baseline: GuestFilter | null;
  readonly written: WrittenSwitches;
};

/**
 * Goal for a default policy: `drop` if a policy requires it; `leave` as it is if a policy out of scope does; its value from before a
 * Fabric policy required it, when none does any more; `keep` what passes, otherwise.
 */
export type DefaultGoal = 'drop' | 'leave' | 'keep' | { readonly restore: 'ACCEPT' | 'REJECT' };

/** What applying some policies wants of one guest. Rules of other policies stay as they are. */
export type GuestIntent = {
  readonly instance: string;
  readonly vmid: number;
  /** Where the block of managed rules is placed relative to unmanaged rules. */
  readonly placement: (typeof RULE_PLACEMENTS)[number];
  /** The policies that are applied or cleaned up. */
  readonly scope: ReadonlySet<string>;
  /** Rules of these policies, in order of evaluation; none for a policy that is cleaned up. */
  readonly rules: readonly DesiredRule[];
  readonly sets: readonly DesiredSet[];
  /** Every policy with rules here, in the order in which they shall stand, for those of which rules stand already. */
  readonly order: readonly string[];
  /** Whether rules with a marker of another installation, or copied here from another guest, are to go. */
  readonly remove_strays: boolean;
  readonly default_in: DefaultGoal;
  readonly default_out: DefaultGoal;
  /** Whether the filter must be active: guest switch and interface flags. */
  readonly switch_on: boolean;
  /**
   * Policies that may change without the user who applies this one seeing it: what their rules match is not part of
   * a fingerprint, which would reveal it.
   */
  readonly opaque?: ReadonlySet<string>;
  /** Set when the last policy leaves the guest: its switches go back to what they were before the first. */
  readonly restore?: Origin;
  /** Set: nothing is written but that these rules of the policies in scope are no longer logged at this level. */
  readonly unlog?: Pick<TemporaryLog, 'level' | 'rule_hashes'>;
};

/** One write. Positions are those of the rules just before it. */
export type PlanStep =
  | { readonly kind: 'create_set'; readonly name: string }
  | { readonly kind: 'add_set_entry'; readonly name: string; readonly cidr: string }
  | { readonly kind: 'remove_set_entry'; readonly name: string; readonly cidr: string }
  | { readonly kind: 'delete_set'; readonly name: string }
  /** The rule lands on top; `enable` 0 while it must not yet decide. */
  | { readonly kind: 'create_rule'; readonly rule: DesiredRule; readonly enable: 0 | 1 }
  | { readonly kind: 'move_rule'; readonly pos: number; readonly to: number }
  | { readonly kind: 'enable_rule'; readonly pos: number }
  | { readonly kind: 'unlog_rule'; readonly pos: number }
  | { readonly kind: 'delete_rule'; readonly pos: number }
  | { readonly kind: 'set_options'; readonly changes: SwitchChanges }
  | { readonly kind: 'set_nic_flag'; readonly nic: string; readonly enabled: boolean };
