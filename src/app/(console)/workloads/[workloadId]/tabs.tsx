'use client';
import { loadTab } from '@/features/shared/load-tab';

export const WorkloadTraffic = loadTab<{ workloadId: string }>(() =>
  import('@/features/insights/workload-traffic').then((module) => module.WorkloadTraffic),
);
export const GuestFirewall = loadTab<{ workloadId: string }>(() =>
  import('@/features/guest-firewall/guest-firewall').then((module) => module.GuestFirewall),
);
export const WorkloadTimeline = loadTab<{ workloadId: string }>(() =>
  import('@/features/workloads/workload-timeline').then((module) => module.WorkloadTimeline),
);
