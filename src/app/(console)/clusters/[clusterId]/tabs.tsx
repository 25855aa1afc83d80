'use client';
import { loadTab } from '@/features/shared/load-tab';

type OfCluster = { clusterId: string };

export const NodeTable = loadTab<OfCluster>(() =>
  import('@/features/nodes/node-table').then((module) => module.NodeTable),
);
export const WorkloadTable = loadTab<{ within: { cluster_id: string } }>(() =>
  import('@/features/workloads/workload-table').then((module) => module.WorkloadTable),
);
export const NetworkTable = loadTab<OfCluster>(() =>
  import('@/features/networks/network-table').then((module) => module.NetworkTable),
);
export const RunTable = loadTab<OfCluster>(() =>
  import('@/features/sync-runs/run-table').then((module) => module.RunTable),
);
