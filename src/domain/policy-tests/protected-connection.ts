import { z } from 'zod';
import { PolicyTest, TestEndpoints, TestPorts } from './definition';

/** Connections that the installation itself depends on, those of Fabric first. Each is completed to a policy test that must be allowed. */
export const PROTECTED_TEMPLATES = [
  'browsers_to_fabric',
  'agents_to_fabric',
  'fabric_to_api',
  'fabric_to_database',
  'fabric_to_redis',
  'cluster_traffic',
  'storage',
  'dns',
  'ntp',
  'admin_to_nodes',
] as const;
export type ProtectedTemplate = (typeof PROTECTED_TEMPLATES)[number];

type End = 'nodes' | null;
type Template = {
  readonly name: string;
  readonly protocol: 'tcp' | 'udp' | 'tcp/udp';
  readonly ports: readonly string[];
  /** What Fabric knows of an end; null: to be completed. */
  readonly from: End;
  readonly to: End;
};

export const TEMPLATES: Readonly<Record<ProtectedTemplate, Template>> = {
  browsers_to_fabric: { name: 'Browsers to Fabric', protocol: 'tcp', ports: ['443'], from: null, to: null },
  agents_to_fabric: { name: 'Agents to Fabric', protocol: 'tcp', ports: ['443'], from: 'nodes', to: null },
  fabric_to_api: {
    name: 'Fabric to the API of the clusters',
    protocol: 'tcp',
    ports: ['8006'],
    from: null,
    to: 'nodes',
  },
  fabric_to_database: { name: 'Fabric to PostgreSQL', protocol: 'tcp', ports: ['5432'], from: null, to: null },
  fabric_to_redis: { name: 'Fabric to Redis', protocol: 'tcp', ports: ['6379'], from: null, to: null },
  cluster_traffic: {
    name: 'Cluster traffic (corosync)',
    protocol: 'udp',
    ports: ['5405-5412'],
    from: 'nodes',
    to: 'nodes',
  },
  storage: {
    name: 'Storage (NFS, iSCSI, Ceph)',
    protocol: 'tcp',
    ports: ['111', '2049', '3260', '3300', '6789', '6800-7300'],
    from: 'nodes',
    to: null,
  },
  dns: { name: 'Name resolution (DNS)', protocol: 'tcp/udp', ports: ['53'], from: 'nodes', to: null },
  ntp: { name: 'Time (NTP)', protocol: 'udp', ports: ['123'], from: 'nodes', to: null },
  admin_to_nodes: { name: 'Admin network to nodes', protocol: 'tcp', ports: ['22', '8006'], from: null, to: 'nodes' },
};

/** What completes a protected connection. */
export const ProtectedConnectionInput = z.strictObject({
  from: TestEndpoints,
  to: TestEndpoints,
  ports: TestPorts.refine((ports) => ports.length > 0, 'Specify at least one port.'),
  /** The version that was read, 0 before it was completed: when it is no longer current, nothing is changed. */
  version: z.int().min(0).optional(),
});
export type ProtectedConnectionInput = z.output<typeof ProtectedConnectionInput>;

export const ProtectedConnection = z.object({
  template: z.enum(PROTECTED_TEMPLATES),
  name: z.string(),
  protocol: z.string(),
  /** What is stored, else what Fabric proposes. */
  from: z.array(z.string()),
  to: z.array(z.string()),
  ports: z.array(z.string()),
  /** Ends that are still to be specified. */
  missing: z.array(z.enum(['from', 'to'])),
  /** Of its test; 0 until it is completed. */
  version: z.int(),
  /** Null until it is completed. */
  test: PolicyTest.nullable(),
});
export type ProtectedConnection = z.output<typeof ProtectedConnection>;
export const ProtectedConnections = z.object({ items: z.array(ProtectedConnection) });
