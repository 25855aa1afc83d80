import { z } from 'zod';

const TenantId = z.uuid().nullable();
/** Processes of before send none. */
const ProjectId = z.uuid().nullable().default(null);

/**
 * What the service tells its pages: that something changed, never what. Pages then read again what they show, with the
 * permissions they have.
 */
export const LiveEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('sync_run.changed'), cluster_id: z.uuid(), run_id: z.uuid() }),
  z.object({ type: z.literal('cluster.changed'), cluster_id: z.uuid() }),
  z.object({ type: z.literal('inventory.changed'), cluster_id: z.uuid() }),
  /** Owned by a tenant or one of its projects, or by none; it is not sent to other tenants and projects. */
  z.object({
    type: z.literal('security_group.changed'),
    security_group_id: z.uuid(),
    tenant_id: TenantId,
    project_id: ProjectId,
  }),
  z.object({ type: z.literal('policy.changed'), policy_id: z.uuid(), tenant_id: TenantId, project_id: ProjectId }),
  /** A policy test was created, changed or deleted, or has another result. */
  z.object({ type: z.literal('policy_test.changed'), tenant_id: TenantId, project_id: ProjectId }),
  /** A deployment started, continued or ended. */
  z.object({
    type: z.literal('deployment.changed'),
    deployment_id: z.uuid(),
    policy_id: z.uuid(),
    tenant_id: TenantId,
    project_id: ProjectId,
  }),
  /** A change has other content or another state, or its rollout continued; one event for each of its owners. */
  z.object({ type: z.literal('change.changed'), change_id: z.uuid(), tenant_id: TenantId, project_id: ProjectId }),
  /** What is live at guests of the cluster was read, and differs from before. */
  z.object({ type: z.literal('firewall.changed'), cluster_id: z.uuid() }),
  /** Subnets, addresses, ranges or conflicts of a cluster. */
  z.object({ type: z.literal('ipam.changed'), cluster_id: z.uuid() }),
  z.object({ type: z.literal('ipam_import.changed'), import_id: z.uuid() }),
  z.object({ type: z.literal('mapping_rule.changed') }),
  /** A forwarding destination was changed, or how far it is. */
  z.object({ type: z.literal('forwarding.changed') }),
  /** An exporter of flow records was created, changed or deleted. */
  z.object({ type: z.literal('flow_exporter.changed') }),
  /** Notices, incidents, rules, channels or deliveries; of a tenant, or without one of the installation. */
  z.object({ type: z.literal('notification.changed'), tenant_id: z.uuid().optional() }),
  /** This user has read notices. */
  z.object({ type: z.literal('notification.read'), user_id: z.uuid() }),
]);
export type LiveEvent = z.output<typeof LiveEvent>;
