import { WorkloadDetail } from '@/features/workloads/workload-detail';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';
import { GuestFirewall, WorkloadTimeline, WorkloadTraffic } from './tabs';

export const generateMetadata = withTitle(msg('Workload'));

export default async function WorkloadPage({ params }: { params: Promise<{ workloadId: string }> }) {
  const { workloadId } = await params;
  return (
    <WorkloadDetail
      workloadId={workloadId}
      traffic={<WorkloadTraffic workloadId={workloadId} />}
      firewall={<GuestFirewall workloadId={workloadId} />}
      timeline={<WorkloadTimeline workloadId={workloadId} />}
    />
  );
}
