import { z } from 'zod';
import { DeploymentProblem } from './deployments';
import { FirewallRuleView } from './firewall/rule-view';
import { WorkloadAssignment } from './project';

/** `remove`: removed by the system, which retries. `keep`: left until a user requests the removal. */
export const MOVE_MODES = ['remove', 'keep'] as const;

/** Rules that one policy of a former tenant or project left on a workload. The policy and owner are not disclosed. */
export const ResidualRules = z.object({
  id: z.uuid(),
  workload_id: z.uuid(),
  mode: z.enum(MOVE_MODES),
  /** When the workload moved. */
  since: z.string(),
  /** Removals that were tried and did not succeed. */
  attempts: z.int(),
  attempted_at: z.string().nullable(),
  /** Why the last one did not. */
  problem: DeploymentProblem.nullable(),
  /** What was live of them when last read, without comments and marks. Null: the workload could not be read. */
  rules: z.array(FirewallRuleView).nullable(),
  read_at: z.string().nullable(),
});
export type ResidualRules = z.output<typeof ResidualRules>;

export const ResidualRulesList = z.object({ items: z.array(ResidualRules) });
export type ResidualRulesList = z.output<typeof ResidualRulesList>;

/** For how many policies the removal of what they left was requested. */
export const ResidualRemoval = z.object({ requested: z.int() });
export type ResidualRemoval = z.output<typeof ResidualRemoval>;

export const AssignmentPreviewInput = WorkloadAssignment;

/** What a manual move would remove from a workload, read now. */
const MovedWorkload = z.object({
  workload_id: z.uuid(),
  name: z.string(),
  vmid: z.int(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  /** Policies whose rules are removed. */
  policies: z.int(),
  /** Live rules that are removed. Null: the workload could not be read, so its rules stay until it can be. */
  rules: z.int().nullable(),
  /** Switches that go back to what they were before the first policy. Null: not known. */
  switches: z.int().nullable(),
});

/** What assigning workloads would do to their firewalls. Workloads on which no policy of their tenant or project has rules that go are not named. */
export const AssignmentPreview = z.object({
  /** Workloads that get another project. */
  changed: z.int(),
  /** Of them, those that get another tenant. */
  moved: z.int(),
  workloads: z.array(MovedWorkload),
  /** Clusters that could not be read completely: there the rules stay, and their removal is retried. */
  unreachable: z.array(z.object({ cluster_id: z.uuid(), cluster_name: z.string() })),
});
export type AssignmentPreview = z.output<typeof AssignmentPreview>;
