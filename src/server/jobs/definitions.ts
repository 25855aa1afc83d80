import { z } from 'zod';
import { defineJob } from './define';

const nothing = z.object({});
const MINUTE = 60_000;

/** Reads one cluster's inventory. */
export const clusterSync = defineJob({
  name: 'cluster.sync',
  payload: z.object({ cluster_id: z.uuid() }),
  key: (payload) => payload.cluster_id,
  concurrency: 4,
});

/** Takes over runs that lost their worker and starts automatic syncs that are due. */
export const syncSchedule = defineJob({
  name: 'sync.schedule',
  payload: nothing,
  key: () => 'sync.schedule',
  attempts: 1,
  everyMs: MINUTE,
});

/** Reads which addresses the guests of one cluster use. */
export const ipamDiscover = defineJob({
  name: 'ipam.discover',
  payload: z.object({ cluster_id: z.uuid() }),
  key: (payload) => payload.cluster_id,
  concurrency: 4,
});

/** Takes over discoveries and imports that lost their worker and starts automatic discoveries that are due. */
export const ipamSchedule = defineJob({
  name: 'ipam.schedule',
  payload: nothing,
  key: () => 'ipam.schedule',
  attempts: 1,
  everyMs: MINUTE,
});

/** Compares what all sources say about addresses. */
export const ipamFindings = defineJob({
  name: 'ipam.findings',
  payload: nothing,
  key: () => 'ipam.findings',
  attempts: 1,
  everyMs: 5 * MINUTE,
});

/** Takes a CSV file of subnets or addresses over. */
export const ipamImport = defineJob({
  name: 'ipam.import',
  payload: z.object({ import_id: z.uuid() }),
  key: (payload) => payload.import_id,
});

/** Ends the access of accounts that the directory no longer lets in. */
export const directoryCheck = defineJob({
  name: 'directory.check',
  payload: nothing,
  key: () => 'directory.check',
  attempts: 1,
  everyMs: 10 * MINUTE,
});

/** Deletes what has expired. */
export const maintenancePrune = defineJob({
  name: 'maintenance.prune',
  payload: nothing,
  key: () => 'maintenance.prune',
  everyMs: 60 * MINUTE,
});

/** Deletes expired telemetry and aggregates old minutes into hours. */
export const telemetryRetain = defineJob({
  name: 'telemetry.retain',
  payload: nothing,
  key: () => 'telemetry.retain',
  everyMs: 5 * MINUTE,
});

/** Computes the traffic rollups that lists and charts of the dashboard read. */
export const trafficSum = defineJob({
  name: 'traffic.sum',
  payload: nothing,
  key: () => 'traffic.sum',
  attempts: 1,
  everyMs: 10_000,
});

/** Fills in ends of stored flows that the inventory has learned of since. */
export const flowsResolve = defineJob({
  name: 'flows.resolve',
  payload: nothing,
  key: () => 'flows.resolve',
  attempts: 1,
  everyMs: 10_000,
});

/** Settles reports about workloads that are elsewhere in the inventory. */
export const flowsConfirm = defineJob({
  name: 'flows.confirm',
  payload: nothing,
  key: () => 'flows.confirm',
  attempts: 1,
  everyMs: 10_000,
});

/** Records which agents became stale. */
export const agentsWatch = defineJob({
  name: 'agents.watch',
  payload: nothing,
  key: () => 'agents.watch',
  attempts: 1,
  everyMs: MINUTE,
});

/** Counts which rules matched the new flows. */
export const coverageCount = defineJob({
  name: 'coverage.count',
  payload: nothing,
  key: () => 'coverage.count',
  attempts: 1,
  everyMs: MINUTE,
});

/** Checks rules as last read: which are shadowed, redundant, contradictory, unused. */
export const hygieneCheck = defineJob({
  name: 'hygiene.check',
  payload: nothing,
  key: () => 'hygiene.check',
  attempts: 1,
  everyMs: MINUTE,
});

/** Evaluates the policy tests that something touched. */
export const policyTestsEvaluate = defineJob({
  name: 'policy_tests.evaluate',
  payload: nothing,
  key: () => 'policy_tests.evaluate',
  attempts: 1,
  everyMs: 5_000,
});

/** Revokes approvals of changes that compile to something else by now. */
export const changeRevalidate = defineJob({
  name: 'change.revalidate',
  payload: nothing,
  key: () => 'change.revalidate',
  attempts: 1,
  everyMs: MINUTE,
});

/** Computes what a change to a policy does to connections. */
export const impactCompute = defineJob({
  name: 'impact.compute',
  payload: z.object({ impact_id: z.uuid() }),
  key: (payload) => payload.impact_id,
});

/** Suggests policies from the conversations of a scope. */
export const suggestionCompute = defineJob({
  name: 'suggestion.compute',
  payload: z.object({ suggestion_id: z.uuid() }),
  key: (payload) => payload.suggestion_id,
});

/** Reads what is live at the guests of one cluster. */
export const firewallObserve = defineJob({
  name: 'firewall.observe',
  payload: z.object({ cluster_id: z.uuid() }),
  key: (payload) => payload.cluster_id,
  concurrency: 4,
  attempts: 1,
});

/** Triggers a read of clusters whose snapshot is too old. */
export const firewallSchedule = defineJob({
  name: 'firewall.schedule',
  payload: nothing,
  key: () => 'firewall.schedule',
  attempts: 1,
  everyMs: MINUTE,
});

const deployment = z.object({ deployment_id: z.uuid() });

/** Applies a policy to the workloads of one cluster. */
export const policyApply = defineJob({
  name: 'policy.apply',
  payload: deployment,
  key: (payload) => payload.deployment_id,
  concurrency: 4,
});

/** Removes the rules of a policy from the guests of one cluster. */
export const policyCleanup = defineJob({
  name: 'policy.cleanup',
  payload: deployment,
  key: (payload) => payload.deployment_id,
  concurrency: 4,
});

/** Takes over deployments, impacts and suggestions that lost their worker or their job. */
export const deploymentSchedule = defineJob({
  name: 'deployment.schedule',
  payload: nothing,
  key: () => 'deployment.schedule',
  attempts: 1,
  everyMs: MINUTE,
});

/** Does what comes next in the roll-out of a change. */
export const changeAdvance = defineJob({
  name: 'change.advance',
  payload: z.object({ change_id: z.uuid() }),
  key: (payload) => payload.change_id,
  concurrency: 4,
});

/** Looks at changes that are rolled out or await their confirmation. */
export const changeSchedule = defineJob({
  name: 'change.schedule',
  payload: nothing,
  key: () => 'change.schedule',
  attempts: 1,
  everyMs: 2_000,
});

/** Starts changes whose time has come. */
export const changeStart = defineJob({
  name: 'change.start',
  payload: nothing,
  key: () => 'change.start',
  attempts: 1,
  everyMs: 2_000,
});

/** Removes rules and policies that have expired, where the tenant chose so. */
export const policiesExpire = defineJob({
  name: 'policies.expire',
  payload: nothing,
  key: () => 'policies.expire',
  attempts: 1,
  everyMs: MINUTE,
});

/** Looks at what holds now and opens and closes incidents of the notification rules. */
export const notificationEvaluate = defineJob({
  name: 'notification.evaluate',
  payload: nothing,
  key: () => 'notification.evaluate',
  attempts: 1,
  everyMs: MINUTE,
});

/** Has notices sent that are due: further tries, and first ones whose job was lost. */
export const notificationSchedule = defineJob({
  name: 'notification.schedule',
  payload: nothing,
  key: () => 'notification.schedule',
  attempts: 1,
  everyMs: 15_000,
});

/** One attempt to send one notification to one channel; the database holds the time of the next one. */
export const notificationDeliver = defineJob({
  name: 'notification.deliver',
  payload: z.object({ delivery_id: z.uuid() }),
  key: (payload) => payload.delivery_id,
  concurrency: 8,
  attempts: 1,
});

/** Begins a run for each destination of records that is due. */
export const forwardingSchedule = defineJob({
  name: 'forwarding.schedule',
  payload: nothing,
  key: () => 'forwarding.schedule',
  attempts: 1,
  everyMs: 5_000,
});

/** Sends what is due to one destination; the database holds how far it is, and the time of the next attempt. */
export const forwardingSend = defineJob({
  name: 'forwarding.send',
  payload: z.object({ destination_id: z.uuid() }),
  key: (payload) => payload.destination_id,
  concurrency: 4,
  attempts: 1,
});

/** Every job there is, by name. */
export const JOBS = {
  [clusterSync.name]: clusterSync,
  [syncSchedule.name]: syncSchedule,
  [ipamDiscover.name]: ipamDiscover,
  [ipamSchedule.name]: ipamSchedule,
  [ipamFindings.name]: ipamFindings,
  [ipamImport.name]: ipamImport,
  [directoryCheck.name]: directoryCheck,
  [maintenancePrune.name]: maintenancePrune,
  [telemetryRetain.name]: telemetryRetain,
  [trafficSum.name]: trafficSum,
  [flowsResolve.name]: flowsResolve,
  [flowsConfirm.name]: flowsConfirm,
  [agentsWatch.name]: agentsWatch,
  [coverageCount.name]: coverageCount,
  [hygieneCheck.name]: hygieneCheck,
  [policyTestsEvaluate.name]: policyTestsEvaluate,
  [changeRevalidate.name]: changeRevalidate,
  [impactCompute.name]: impactCompute,
  [suggestionCompute.name]: suggestionCompute,
  [firewallObserve.name]: firewallObserve,
  [firewallSchedule.name]: firewallSchedule,
  [policyApply.name]: policyApply,
  [policyCleanup.name]: policyCleanup,
  [deploymentSchedule.name]: deploymentSchedule,
  [changeAdvance.name]: changeAdvance,
  [changeSchedule.name]: changeSchedule,
  [changeStart.name]: changeStart,
  [policiesExpire.name]: policiesExpire,
  [notificationEvaluate.name]: notificationEvaluate,
  [notificationSchedule.name]: notificationSchedule,
  [notificationDeliver.name]: notificationDeliver,
  [forwardingSchedule.name]: forwardingSchedule,
  [forwardingSend.name]: forwardingSend,
} as const;

export type JobName = keyof typeof JOBS;
export type JobPayload<N extends JobName> = z.output<(typeof JOBS)[N]['payload']>;
